public import Shale
public import ShaleBase
public import ShaleEngine
import ShaleManifest
import ShalePlatform
import ShaleSegment
import ShaleValues

extension Maintenance {
    /// Writes a backup of an open store as one stream, for example to a pipe: DESIGN.md, "Backup stream".
    ///
    /// ```swift
    /// var options = BackupStreamOptions()
    /// options.encryption = .aes256GCM(.file("/etc/app/backup.key"))
    /// try Maintenance.backUp(store.engine, options: options) { bytes in try upload(bytes) }
    /// ```
    ///
    /// ``restore(into:options:progress:read:)`` makes a store from the stream. The stream holds the whole store at one
    /// moment, whether or not earlier backups exist. Each segment is verified before it is written, with the values to
    /// which it refers. A read-only engine writes the state that it shows, beside the owner of the store, and holds
    /// batches that are in no segment in memory a second time, with their values; otherwise the memory is bounded by
    /// some frames of 1 MiB and the largest value.
    ///
    /// - Parameters:
    ///   - engine: The open store.
    ///   - options: The encryption of the stream.
    ///   - progress: Called on this thread, with the bytes of segments and value files that were written and that there
    ///     are. It may throw to cancel.
    ///   - write: Receives the stream in pieces of at most about 1 MiB. The bytes are valid during the call.
    /// - Returns: What the backup holds. Its number is 0.
    /// - Throws: `.corruption` if the store's own files are damaged; the errors of `write`, of the key's source, and of
    ///   reading. A stream that was begun is then not complete, and can't be restored.
    /// - Complexity: O(bytes of all segments and value files).
    @discardableResult
    public static func backUp(
        _ engine: Engine, options: BackupStreamOptions = BackupStreamOptions(),
        progress: @escaping MaintenanceProgress.Handler = { _ in },
        to write: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> BackupInfo {
        let store = try engine.freeze()
        let run = try BackupStreamRun(store, isBesideOwner: engine.isReadOnly, options, progress)
        try run.writeHead(write)
        // Before the segments, whose verification reads the values.
        for use in run.values { try run.write(use, write) }
        for segment in run.segments { try run.write(segment, write) }
        try run.writeEnd(write)
        return run.info
    }
}

/// The options for a backup in a stream.
public struct BackupStreamOptions: Sendable {
    /// The cipher and the source of the key with which the stream is encrypted; `nil` for a stream in the clear.
    ///
    /// A new random key encrypts the stream, and the key of this source encrypts that one. Everything after the key is
    /// encrypted and authenticated with its position: names, keys, values, sizes of segments. The size of the stream
    /// is not hidden. If the source's key is lost, the backup can't be restored.
    public var encryption: StoreEncryption?

    /// True if a stream that is not encrypted is restored although ``encryption`` is set. Ignored by backups.
    ///
    /// Otherwise such a stream is `.authenticationFailed`: an attacker who can replace the stream could replace it by
    /// another one.
    public var acceptsUnencrypted = false

    public init() {}
}

/// The writing of one backup to a stream.
private final class BackupStreamRun {
    private let store: FrozenStore
    /// The whole state of the backup.
    private let state: StoreState
    /// Holds the batches that are in no segment of the store. A stream has no place where their segments could be
    /// written piece by piece before their sizes are known.
    private let memory: any Directory
    private let environment: SegmentEnvironment
    private let progress: ByteProgress
    private let writer: BackupStreamWriter
    private var end = BackupStreamEnd()

    init(
        _ store: FrozenStore, isBesideOwner: Bool, _ options: BackupStreamOptions,
        _ progress: @escaping MaintenanceProgress.Handler
    ) throws(StorageError) {
        self.store = store
        environment = SegmentEnvironment(memoryBudget: 64 << 20, openFileLimit: 64, isBesideOwner: isBesideOwner)
        do { memory = try MemoryFileSystem().openDirectory("segments", create: true) } catch {
            throw error.storageError
        }
        state = try store.complete(in: memory)
        writer = try BackupStreamWriter(options.encryption, hasValues: !state.version.valueUses.isEmpty)
        let total = BackupInfo(number: 0, state: state, wallMilliseconds: store.wallMilliseconds).storedBytes
        self.progress = ByteProgress(total, progress)
    }

    var segments: [SegmentMetadata] { state.version.levels.flatMap { $0.segments.map(\.metadata) } }

    var values: [ValueUse] { state.version.sortedValues }

    var info: BackupInfo {
        var info = BackupInfo(number: 0, state: state, wallMilliseconds: store.wallMilliseconds)
        info.copiedSegments = info.segments
        info.copiedBytes = info.storedBytes
        return info
    }

    func writeHead(_ write: (RawSpan) throws(StorageError) -> Void) throws(StorageError) {
        let head = BackupStreamHead(
            identity: store.identity, wallMilliseconds: store.wallMilliseconds, storedBytes: info.storedBytes)
        try writer.append(.head) { head.encode(into: &$0) }
        try flush(write)
    }

    func write(
        _ segment: SegmentMetadata, _ write: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        let directory = directory(of: segment.number)
        try FileCopy.requireSize(of: segment, in: directory)
        try Segment(metadata: segment, directory: directory, environment: environment).verify()
        let head = BackupStreamFile(number: segment.number, bytes: segment.fileBytes)
        try self.write(segment.fileName, in: directory, .segment, head, write)
        end.segments += 1
        end.segmentBytes += segment.fileBytes
    }

    func write(
        _ use: ValueUse, _ write: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        let directory = directory(of: use.file)
        try FileCopy.requireSize(of: use, in: directory)
        try environment.checkHeaders(of: [use], in: directory)
        let head = BackupStreamFile(number: use.file, bytes: use.fileBytes)
        try self.write(StoreLayout.values(use.file), in: directory, .values, head, write)
        end.valueFiles += 1
        end.valueBytes += use.fileBytes
    }

    private func directory(of number: UInt64) -> any Directory {
        store.isIncomplete && number >= store.state.nextFileNumber ? memory : store.segments
    }

    private func write(
        _ name: String, in directory: any Directory, _ type: BackupStreamFormat.Frame, _ head: BackupStreamFile,
        _ write: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        let file: any ReadableFile
        do { file = try directory.open(name) } catch { throw error.storageError }
        defer { file.close() }
        file.adviseSequential(offset: 0, count: head.bytes)
        try writer.append(type) { head.encode(into: &$0) }
        var offset: UInt64 = 0
        while offset < head.bytes {
            let count = try writer.appendData(of: file, at: offset, limit: head.bytes - offset)
            offset += count
            try flush(write)
            try progress.add(count)
        }
    }

    func writeEnd(_ write: (RawSpan) throws(StorageError) -> Void) throws(StorageError) {
        var edit = ByteBuffer(capacity: 4096)
        state.snapshotEdit.encode(into: &edit)
        guard edit.count <= BackupStreamFormat.stateBytesMax else {
            throw .invalid("the state of the store is \(edit.count) bytes, over the limit of a backup")
        }
        for start in stride(from: 0, to: edit.count, by: BackupStreamFormat.contentBytesMax) {
            let part = edit.bytes.slice(start, min(BackupStreamFormat.contentBytesMax, edit.count - start))
            try writer.append(.state) { $0.append(part) }
            try flush(write)
        }
        let end = end
        let hasValues = !state.version.valueUses.isEmpty
        try writer.append(.end) { end.encode(into: &$0, hasValues: hasValues) }
        try flush(write)
    }

    private func flush(_ write: (RawSpan) throws(StorageError) -> Void) throws(StorageError) {
        try write(writer.output.bytes.span)
        writer.takeOutput()
    }
}
