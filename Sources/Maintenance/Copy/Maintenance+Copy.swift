public import ShaleBase
public import ShaleEngine
import ShaleManifest
import ShalePlatform

/// The result of a copy.
public struct CopyReport: Sendable, Hashable {
    public internal(set) var entries: UInt64 = 0
    /// The stored bytes of the new store's segments.
    public internal(set) var storedBytes: UInt64 = 0
}

extension Maintenance {
    /// Copies all entries that the store at `path` shows into a new store in the directory `target`, which must not
    /// exist or must be empty.
    ///
    /// The new store has all entries in its last level, without dead entries, compressed as `options` say. Names, ids
    /// and encrypted values stay the same. The source is only read, as of one moment, also while another process has it
    /// open. Until this returns, `target` is no store. Memory: the options' budget, a few MiB, and the largest value.
    ///
    /// - Complexity: O(bytes of the store).
    @discardableResult
    public static func copy(
        storeAt path: String, into target: String, options: Engine.Options = Engine.Options(),
        progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> CopyReport {
        try copy(
            storeAt: path, into: target, options: options, environment: EngineEnvironment(), progress: progress)
    }

    package static func copy(
        storeAt path: String, into target: String, options: Engine.Options, environment: EngineEnvironment,
        progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> CopyReport {
        let source = try SourceStore(at: path, options, environment)
        let builder = try StoreBuilder(
            at: target, environment.fileSystem, options,
            threads: environment.scheduling == .threads ? processorCount() : 1)
        do {
            let catalogue = try fill(builder, source, ByteProgress(source.dataBytes, progress))
            try builder.finish(
                StoreBuilder.Identity(
                    catalogue: catalogue, lastSequence: 1, clockFloor: source.engine.trustedMilliseconds,
                    storeID: source.identity.storeID, createdMilliseconds: source.identity.createdMilliseconds))
        } catch {
            builder.abandon()
            throw error
        }
        try source.engine.close()
        return CopyReport(entries: builder.entryCount, storedBytes: builder.storedBytes)
    }

    private static func fill(
        _ builder: StoreBuilder, _ source: SourceStore, _ progress: ByteProgress
    ) throws(StorageError) -> Catalogue {
        var catalogue = Catalogue()
        catalogue.nextID = source.engine.nextNamespaceID
        for namespace in source.engine.namespaces {
            let record = NamespaceRecord(id: namespace.id, name: namespace.name, options: namespace.options)
            do throws(ParseFailure) { try catalogue.insert(record) } catch { throw .corruption(error.reason) }
            try fill(builder, source.engine, namespace.id, progress)
        }
        return catalogue
    }

    /// Copies the entries of a namespace. Nothing has been erased in the new store, so any sequence suits a live entry.
    private static func fill(
        _ builder: StoreBuilder, _ engine: Engine, _ namespace: NamespaceID, _ progress: ByteProgress
    ) throws(StorageError) {
        var cursor = try engine.cursor(in: namespace)
        var encoded = ByteBuffer(capacity: 64)
        while try cursor.next() {
            let info = cursor.info
            let kind = EntryKind.put(purgeable: info.isPurgeable, hasExpiry: info.expiresAtMilliseconds != nil)
            encoded.removeAll()
            encoded.append(namespace.rawValue.bigEndian)
            let key = cursor.key
            let value = cursor.value
            unsafe key.withUnsafeBytes { encoded.append(unsafe Bytes($0)) }
            try unsafe value.withUnsafeBytes { (value) throws(StorageError) in
                try builder.add(
                    encoded.bytes, Trailer(1, kind), info.expiresAtMilliseconds ?? 0, unsafe Bytes(value))
            }
            try progress.add(UInt64(encoded.count + value.byteCount))
        }
    }
}

/// A store that is read as a whole, as of the moment when it was opened, also while another process has it open.
struct SourceStore {
    let engine: Engine
    let identity: CurrentFile
    /// The bytes of keys and values in segments, including dead ones. For progress.
    let dataBytes: UInt64

    init(
        at path: String, _ options: Engine.Options, _ environment: EngineEnvironment
    ) throws(StorageError) {
        var options = options
        options.mode = .readOnly
        engine = try Engine.open(at: path, options: options, environment: environment)
        let root: any Directory
        do { root = try environment.fileSystem.openDirectory(path, create: false) } catch { throw error.storageError }
        identity = try CurrentFile.read(in: root)
        dataBytes = engine.statistics.levels.reduce(0) { $0 + $1.rawBytes }
    }
}
