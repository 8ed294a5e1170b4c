public import ShaleBase
import ShaleManifest
import ShalePlatform
import Synchronization

/// A namespace in the engine's catalogue.
public struct NamespaceDescription: Sendable, Hashable {
    public let id: NamespaceID
    /// Any bytes, up to 4096; unique among the live namespaces.
    public let name: [UInt8]
    /// Belongs to whoever made the namespace; the engine does not look at it.
    public let options: [UInt8]

    init(_ record: NamespaceRecord) {
        id = record.id
        name = record.name
        options = record.options
    }
}

extension Engine {
    /// The namespace `name`, created if there is none: then `options` are stored with it and the creation is durable
    /// when this returns. Names are 0 … 4096 bytes.
    @discardableResult
    public func createNamespace(named name: [UInt8], options: [UInt8] = []) throws(StorageError) -> NamespaceID {
        guard name.count <= FormatLimits.namespaceNameBytes, options.count <= FormatLimits.namespaceOptionsBytes else {
            throw .invalid("a namespace's name and options may have \(FormatLimits.namespaceNameBytes) bytes each")
        }
        return try core.createNamespace(name, options)
    }

    /// The namespace `name`, if there is one. O(1).
    public func namespace(named name: [UInt8]) -> NamespaceDescription? {
        core.catalogue.withLock { $0.record(named: name) }.map { NamespaceDescription($0) }
    }

    /// All namespaces, by rising id.
    public var namespaces: [NamespaceDescription] {
        core.catalogue.withLock { Array($0.records.values) }.sorted { $0.id < $1.id }.map { NamespaceDescription($0) }
    }

    /// The first id that no namespace has had.
    package var nextNamespaceID: UInt32 { core.catalogue.withLock { $0.nextID } }

    /// Stores other options with a namespace; durable on return.
    public func setOptions(_ options: [UInt8], of namespace: NamespaceID) throws(StorageError) {
        guard options.count <= FormatLimits.namespaceOptionsBytes else { throw .invalid("the options are too long") }
        try core.control([namespace], { id, _ in .namespaceOptions(id, options) }) { _, _, _ in }
    }

    /// Stores other options with several namespaces, as one durable step. At most 32 MiB.
    package func setOptions(_ options: [(id: NamespaceID, options: [UInt8])]) throws(StorageError) {
        let byID = Dictionary(options.map { ($0.id, $0.options) }) { $1 }
        guard byID.values.allSatisfy({ $0.count <= FormatLimits.namespaceOptionsBytes }),
            byID.values.reduce(0, { $0 + $1.count }) <= Engine.optionsEditBytes
        else { throw .invalid("the options are too long") }
        try core.control(Array(byID.keys), { id, _ in .namespaceOptions(id, byID[id] ?? []) }) { _, _, _ in }
    }

    private static let optionsEditBytes = 32 << 20

    /// Writes the manifest anew, so that no file holds what the catalogue held before. O(segments + namespaces). Without
    /// space for it the old one goes on, as after any edit.
    package func rewriteManifest() throws(StorageError) { try core.rewriteManifest() }

    /// Drops namespaces with everything in them, in O(1) and as one durable step. Their ids are not used again; reads and
    /// writes of them throw `.namespaceDropped` at once, at snapshots too. Disk space follows in the background.
    public func drop(_ namespaces: [NamespaceID]) throws(StorageError) {
        try core.control(namespaces, telling: .dropped, { .namespaceDropped($0, $1) }) { id, sequence, _ in
            core.frozen.drop(id, at: sequence)
        }
    }

    /// Removes all entries of namespaces, in O(1) and as one durable step. Snapshots taken before still see them.
    public func truncate(_ namespaces: [NamespaceID]) throws(StorageError) {
        try core.control(
            namespaces, telling: .truncated, unless: { $0.truncatedThrough >= $1 }, { .truncated($0, $1) }
        ) {
            core.erasures.truncate($0, through: $1, oldest: $2)
        }
    }

    /// Removes the purgeable entries of namespaces, in O(1) and as one durable step. Snapshots taken before still see
    /// them. A purged entry hides older versions of its key: nothing comes back.
    public func purge(_ namespaces: [NamespaceID]) throws(StorageError) {
        try core.control(
            namespaces, telling: .purged, unless: { max($0.purgedThrough, $0.truncatedThrough) >= $1 },
            { .purged($0, $1) }
        ) {
            core.erasures.purge($0, through: $1, oldest: $2)
        }
    }
}
