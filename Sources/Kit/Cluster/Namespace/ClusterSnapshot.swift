public import ShaleBase
import ShalePlatform

/// A namespace on a cluster as it was at a moment of each shard.
///
/// ```swift
/// let snapshot = try await carts.snapshot()
/// for try await entry in snapshot.entries { print(entry.key) }
/// try await snapshot.release()
/// ```
/// The moments of the shards lie between the begin and the return of ``ClusterNamespace/snapshot(lease:)``: a write
/// that returned before is seen, one that begins later is not, and a batch is seen as a whole or not at all.
///
/// - **Cost.** The OSDs copy the entries of every shard, once for each snapshot. Objects of large values are not
///   copied; as long as a snapshot exists, removal passes keep them.
/// - **Lease.** The snapshot is registered with a time at which it ends, which this object renews while it exists.
///   After the death of its process, the next removal pass gives the space back. A process that sleeps for longer than
///   its lease loses the snapshot: reads throw `.closed`.
/// - **Release.** Call ``release()`` when it is no longer needed.
///
/// Safe from any task.
public final class ClusterSnapshot: Sendable {
    let namespace: ClusterNamespace
    let id: UInt64
    private let moment: ClusterReader.Moment
    private let lease: Duration
    /// The time at which the lease ends by this client's clock; 0 after the release.
    private let end: Locked<Int64>
    private let renewal: Locked<Task<Void, Never>?>

    init(_ namespace: ClusterNamespace, id: UInt64, takenAt now: Int64, lease: Duration) {
        self.namespace = namespace
        self.id = id
        self.lease = lease
        moment = ClusterReader.Moment(snapshot: id, now: now)
        end = Locked(now + lease.roundedMilliseconds)
        renewal = Locked(nil)
        let task = Task { [weak self] in
            while !Task.isCancelled {
                do { try await Task.sleep(for: lease / 3) } catch { return }
                guard let self else { return }
                await self.renew()
            }
        }
        renewal.withLock { $0 = task }
    }

    deinit { renewal.withLock { $0?.cancel() } }

    /// Moves the end of the lease. If that fails, the next attempt may still come in time.
    private func renew() async {
        let later = namespace.core.now + lease.roundedMilliseconds
        do throws(StorageError) {
            guard try await namespace.renewLease(of: id, until: later) else { return }
            end.withLock { if $0 != 0 { $0 = later } }
        } catch {
            // Reads throw once the lease has ended.
            return
        }
    }

    /// The reader of the snapshot. Throws `.closed` after its end.
    private var reader: ClusterReader {
        get throws(StorageError) {
            guard end.withLock({ $0 }) > namespace.core.now else {
                throw StorageError(.closed, "the snapshot was released, or its lease has ended")
            }
            return ClusterReader(namespace: namespace, moment: moment)
        }
    }

    /// Returns the entry of a key; `nil` if the key was missing, erased or expired. Throws `.closed` after the end of
    /// the snapshot, and the errors of ``ClusterNamespace/entry(forKey:)``.
    public nonisolated(nonsending) func entry(
        forKey key: some StoreKey
    ) async throws(StorageError) -> AsyncEntry? {
        try await reader.entry(try key.keyBytes)
    }

    /// Returns the value of `key`, decoded from the encoding in which it was stored; `nil` if the key was missing.
    public nonisolated(nonsending) func value<T: Decodable>(
        forKey key: some StoreKey, as type: T.Type = T.self
    ) async throws(StorageError) -> T? {
        guard let entry = try await entry(forKey: key) else { return nil }
        return try entry.value(as: T.self)
    }

    /// Returns the entries of several keys in the order of `keys`; `nil` for each key that was missing.
    public nonisolated(nonsending) func entries(
        forKeys keys: [EntryKey]
    ) async throws(StorageError) -> [AsyncEntry?] {
        try await reader.entries(keys)
    }

    /// The entries in a range, in bytewise order of their keys.
    public func entries(in range: some KeyInterval) -> ClusterEntries {
        let range = Result { () throws(StorageError) in try range.keyRange }
        do throws(StorageError) {
            return ClusterEntries(reader: try reader, range: range)
        } catch {
            let ended = ClusterReader(namespace: namespace, moment: moment)
            return ClusterEntries(reader: ended, range: .failure(error))
        }
    }

    /// All entries, in bytewise order of their keys.
    public var entries: ClusterEntries { entries(in: KeyRange.all) }

    /// Gives the snapshot's space back. Later reads throw `.closed`. Does nothing after the first call.
    public nonisolated(nonsending) func release() async throws(StorageError) {
        let isLive = end.withLock { end in
            defer { end = 0 }
            return end != 0
        }
        renewal.withLock { $0?.cancel() }
        guard isLive else { return }
        try await namespace.releaseSnapshot(id)
    }
}
