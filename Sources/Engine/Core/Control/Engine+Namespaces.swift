public import ShaleBase
import ShaleManifest
import ShalePlatform
import Synchronization

/// A namespace in the engine's catalogue.
public struct NamespaceDescription: Sendable, Hashable {
    public let id: NamespaceID
    /// The name: 0 to 4096 bytes of any value, unique among the live namespaces.
    public let name: [UInt8]
    /// The bytes that the creator of the namespace stored with it. The engine does not interpret them.
    public let options: [UInt8]

    init(_ record: NamespaceRecord) {
        id = record.id
        name = record.name
        options = record.options
    }
}

extension Engine {
    /// Returns the id of the namespace `name`, and creates the namespace if it does not exist.
    ///
    /// A new namespace stores `options`, and its creation is durable on return.
    ///
    /// - Parameters:
    ///   - name: 0 to 4096 bytes.
    ///   - options: Bytes of the caller, at most 4096; ignored if the namespace exists.
    @discardableResult
    public func createNamespace(named name: [UInt8], options: [UInt8] = []) throws(StorageError) -> NamespaceID {
        guard name.count <= FormatLimits.namespaceNameBytes, options.count <= FormatLimits.namespaceOptionsBytes else {
            throw .invalid(
                "a namespace's name or options are too long: name=\(name.count) of "
                    + "\(FormatLimits.namespaceNameBytes), options=\(options.count) of "
                    + "\(FormatLimits.namespaceOptionsBytes)")
        }
        return try core.createNamespace(name, options)
    }

    /// Returns the namespace `name`, if it exists.
    ///
    /// - Complexity: O(1).
    public func namespace(named name: [UInt8]) -> NamespaceDescription? {
        core.catalogue.withLock { $0.record(named: name) }.map { NamespaceDescription($0) }
    }

    /// All namespaces, ordered by ascending id.
    public var namespaces: [NamespaceDescription] {
        core.catalogue.withLock { Array($0.records.values) }.sorted { $0.id < $1.id }.map { NamespaceDescription($0) }
    }

    /// The first id that no namespace has used.
    package var nextNamespaceID: UInt32 { core.catalogue.withLock { $0.nextID } }

    /// Replaces the options of a namespace. The change is durable on return.
    public func setOptions(_ options: [UInt8], of namespace: NamespaceID) throws(StorageError) {
        guard options.count <= FormatLimits.namespaceOptionsBytes else {
            throw .invalid("the options are too long bytes=\(options.count) of \(FormatLimits.namespaceOptionsBytes)")
        }
        try core.control([namespace], { id, _ in .namespaceOptions(id, options) }) { _, _, _ in }
    }

    /// Replaces the options of several namespaces, as one durable step. At most 32 MiB.
    package func setOptions(_ options: [(id: NamespaceID, options: [UInt8])]) throws(StorageError) {
        let byID = Dictionary(options.map { ($0.id, $0.options) }) { $1 }
        guard byID.values.allSatisfy({ $0.count <= FormatLimits.namespaceOptionsBytes }),
            byID.values.reduce(0, { $0 + $1.count }) <= Engine.optionsEditBytes
        else {
            throw .invalid(
                "the options are too long: at most \(FormatLimits.namespaceOptionsBytes) bytes each and "
                    + "\(Engine.optionsEditBytes) in all")
        }
        try core.control(Array(byID.keys), { id, _ in .namespaceOptions(id, byID[id] ?? []) }) { _, _, _ in }
    }

    private static let optionsEditBytes = 32 << 20

    /// Writes a new manifest, so that no file holds former contents of the catalogue.
    ///
    /// If there is no space for it the old manifest stays in use, as after any edit.
    ///
    /// - Complexity: O(segments + namespaces).
    package func rewriteManifest() throws(StorageError) { try core.rewriteManifest() }

    /// Drops namespaces and all their entries, in O(1) and as one durable step.
    ///
    /// Their ids are never reused. Reads and writes of them throw `.namespaceDropped` at once, also at snapshots. Their
    /// disk space is freed in the background.
    public func drop(_ namespaces: [NamespaceID]) throws(StorageError) {
        try core.control(namespaces, telling: .dropped, { .namespaceDropped($0, $1) }) { id, sequence, _ in
            core.frozen.drop(id, at: sequence)
        }
    }

    /// Removes all entries of namespaces, in O(1) and as one durable step. Earlier snapshots still see them.
    public func truncate(_ namespaces: [NamespaceID]) throws(StorageError) {
        try core.control(
            namespaces, telling: .truncated, unless: { $0.truncatedThrough >= $1 }, { .truncated($0, $1) }
        ) {
            core.erasures.truncate($0, through: $1, oldest: $2)
        }
    }

    /// Removes the purgeable entries of namespaces, in O(1) and as one durable step.
    ///
    /// Earlier snapshots still see them. A purged entry hides older versions of its key, so no older value reappears.
    public func purge(_ namespaces: [NamespaceID]) throws(StorageError) { try core.purge(namespaces) }

    /// Returns the sequences through which a namespace was truncated and purged, 0 for never. A dropped one throws.
    package func erasures(
        of namespace: NamespaceID
    ) throws(StorageError) -> (truncatedThrough: SequenceNumber, purgedThrough: SequenceNumber) {
        guard core.erasures.isLive(namespace) else { throw Committer.droppedError(namespace) }
        return core.erasures.watermarks(of: namespace, at: .max)
    }
}

extension EngineCore {
    func purge(_ namespaces: [NamespaceID]) throws(StorageError) {
        try control(
            namespaces, telling: .purged, unless: { max($0.purgedThrough, $0.truncatedThrough) >= $1 },
            { .purged($0, $1) }
        ) {
            erasures.purge($0, through: $1, oldest: $2)
        }
    }
}
