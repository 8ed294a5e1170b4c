import ShaleCluster
import Synchronization

/// A copy of one namespace between a store and a cluster.
final class ClusterCopy: Sendable {
    private struct Progress: Sendable {
        /// `nil` until the first entries are copied.
        var copied: NamespaceCopy.Report?
        /// `nil` until the comparison begins.
        var compared: Int?
    }

    private let store: Store
    private let namespace: Store.Namespace
    private let isVerified: Bool
    private let progress = Mutex(Progress())

    init(_ store: Store, _ namespace: Store.Namespace, isVerified: Bool) {
        self.store = store
        self.namespace = namespace
        self.isVerified = isVerified
    }

    private var local: EmbeddedNamespace { EmbeddedNamespace(namespace, in: store) }

    private var copy: NamespaceCopy {
        NamespaceCopy { [self] report in progress.withLock { $0.copied = report } }
    }

    /// The progress of the copy, for people.
    var state: Shown {
        let now = progress.withLock { $0 }
        if let compared = now.compared { return "compared \(Figures.count(compared, "entry", "entries"))" }
        guard let copied = now.copied else { return "connected" }
        let entries = Figures.count(copied.entries, "entry", "entries")
        return "\(entries), \(Figures.bytes(copied.bytes)), \(Figures.count(copied.written)) written"
    }

    /// Copies to a namespace of a cluster, from a snapshot of the store.
    func send(to target: ClusterNamespace) async throws -> (NamespaceCopy.Report, NamespaceDifference?) {
        let snapshot = try store.snapshot()
        let report = try await copy.copy(local.entries(at: snapshot), to: target)
        return (report, try await compared(local.entries(at: snapshot), target.entries))
    }

    /// Copies from a snapshot of a namespace of a cluster.
    func receive(from source: ClusterNamespace) async throws -> (NamespaceCopy.Report, NamespaceDifference?) {
        if try !namespace.exists {
            let layout = source.layout
            try namespace.setOptions(
                NamespaceOptions(
                    isPurgeable: layout.isPurgeable, timeToLive: layout.timeToLive, isEncrypted: layout.isEncrypted))
        }
        let snapshot = try await source.snapshot()
        do {
            let report = try await copy.copy(snapshot.entries, to: local)
            let difference = try await compared(snapshot.entries, local.entries)
            try await snapshot.release()
            return (report, difference)
        } catch {
            // In a task of its own, because this one may be cancelled. If it fails, the lease ends the snapshot.
            _ = await Task { try await snapshot.release() }.result
            throw error
        }
    }

    private func compared<One: AsyncSequence, Other: AsyncSequence>(
        _ source: One, _ target: Other
    ) async throws -> NamespaceDifference?
    where
        One.Element == AsyncEntry, One.Failure == StorageError, Other.Element == AsyncEntry,
        Other.Failure == StorageError
    {
        guard isVerified else { return nil }
        return try await NamespaceCopy.compare(source, with: target) { [self] difference in
            progress.withLock { $0.compared = max(difference.firstCount, difference.secondCount) }
        }
    }
}
