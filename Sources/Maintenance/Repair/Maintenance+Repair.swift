public import ShaleBase
public import ShaleEngine
package import ShalePlatform

extension Maintenance {
    /// Salvages what is left of the store at `path` into a new store at `target`, which must not exist or must be
    /// empty. The old store is not changed.
    ///
    /// The new store contains only entries of the old one. Nothing is invented, and nothing that was deleted,
    /// overwritten, purged, truncated, dropped or expired returns. If a lost part may have deleted or overwritten an
    /// entry, the entry is left out and counted, unless the options say otherwise. The report names file, offset and
    /// keys of every loss. For an undamaged store the result is equal, key for key. The result is verified before this
    /// returns; until then `target` is no store.
    ///
    /// Memory: the unflushed logs and about 64 MiB.
    ///
    /// - Throws: `.locked` if the store is open; `.newerFormat` if a newer version wrote it; other errors of reading
    ///   and writing.
    /// - Complexity: O(bytes of the store).
    @discardableResult
    public static func repair(
        storeAt path: String, into target: String, options: RepairOptions = RepairOptions(),
        progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> RepairReport {
        try repair(
            storeAt: path, into: target, options: options, engine: Engine.Options(), fileSystem: PosixFileSystem(),
            threads: processorCount(), progress: progress)
    }

    package static func repair(
        storeAt path: String, into target: String, options: RepairOptions, engine: Engine.Options,
        fileSystem: any FileSystem, threads: Int = 1, progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> RepairReport {
        var writing = engine
        writing.lastCompression = options.compression
        try writing.validate()
        let store = try DamagedStore(at: path, fileSystem, isAlone: true)
        let builder = try StoreBuilder(at: target, fileSystem, writing, threads: threads)
        var repair = StoreRepair(store, builder, options, writing.time.wallMilliseconds, progress)
        do {
            try repair.run()
        } catch {
            builder.abandon()
            throw error
        }
        try verify(target, repair.report, writing, fileSystem)
        return repair.report
    }

    /// Opens the new store and reads all of it.
    private static func verify(
        _ target: String, _ report: RepairReport, _ options: Engine.Options, _ fileSystem: any FileSystem
    ) throws(StorageError) {
        var reading = options
        reading.mode = .readOnly
        let engine = try Engine.open(
            at: target, options: reading, environment: EngineEnvironment(fileSystem: fileSystem))
        let found = try engine.verify()
        try engine.close()
        if let problem = found.problems.first { throw problem }
        guard found.entries == report.placedEntries else {
            throw .corruption("the new store has \(found.entries) entries, not \(report.placedEntries)", file: target)
        }
    }
}

/// The options of a repair.
public struct RepairOptions: Sendable {
    /// True if the new store also receives entries that a lost part may have deleted or overwritten.
    ///
    /// Default false: every entry of the new store is then the last version that the old one held.
    public var keepsUncertain = false

    /// The compression of the new store.
    public var compression = Engine.Options.Compression.zstd(level: 1)

    public init() {}
}

/// The result of a repair.
public struct RepairReport: Sendable {
    /// The bytes that the store needs and that can't be read, in the order in which they were found.
    public internal(set) var losses: [RepairLoss] = []
    /// True if the whole manifest could be read. Otherwise names, erasures and the list of live files are uncertain,
    /// and so is every entry.
    public internal(set) var hasManifest = true
    /// The number of entries in the new store.
    public internal(set) var placedEntries: UInt64 = 0
    /// The number of those entries that a lost part may have deleted or overwritten. 0 unless
    /// ``RepairOptions/keepsUncertain`` is set.
    public internal(set) var uncertainEntries: UInt64 = 0
    /// The number of entries left out because a lost part may have deleted or overwritten them.
    public internal(set) var withheldEntries: UInt64 = 0
    /// The number of entries in namespaces whose names are lost, by namespace.
    ///
    /// With ``RepairOptions/keepsUncertain`` they are in the new store below `lost+found`; otherwise they are left out.
    public internal(set) var namelessEntries: [NamespaceID: UInt64] = [:]
    /// The number of bytes at the end of a log that were being written when the store last stopped, as an opening
    /// reports them.
    public internal(set) var tornBytes: UInt64 = 0
    /// The stored bytes of the new store.
    public internal(set) var storedBytes: UInt64 = 0

    /// True if nothing is lost: the new store contains everything that the old one shows.
    public var isWhole: Bool { losses.isEmpty }
}

/// A lost range of a file and its consequences.
public struct RepairLoss: Sendable {
    /// The file, relative to the store's directory.
    public let file: String
    public let offset: UInt64
    /// The number of bytes lost from `offset` on; `nil` if unknown.
    public internal(set) var bytes: UInt64?
    /// The reason of the loss.
    public internal(set) var reason: String
    /// The range of keys that the lost part held; `nil` if it may have held any key of any namespace.
    public internal(set) var keys: LostKeys?
    /// The number of lost entries, including deletions; `nil` if unknown.
    public internal(set) var entries: UInt64?
    /// The number of older entries that this loss may have deleted or overwritten.
    public internal(set) var doubtedEntries: UInt64 = 0
}

/// A range of keys, both ends included.
public struct LostKeys: Sendable, Hashable {
    public let firstNamespace: NamespaceID
    public let firstKey: [UInt8]
    public let lastNamespace: NamespaceID
    public internal(set) var lastKey: [UInt8]

    init(_ first: [UInt8], _ last: [UInt8]) {
        (firstNamespace, firstKey) = LostKeys.parts(first)
        (lastNamespace, lastKey) = LostKeys.parts(last)
    }

    private static func parts(_ encoded: [UInt8]) -> (NamespaceID, [UInt8]) {
        let id = encoded.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return (NamespaceID(rawValue: id), Array(encoded.dropFirst(4)))
    }
}
