public import Shale
public import ShaleBase
public import ShaleEngine
import ShaleManifest
import ShalePlatform
import ShaleSegment

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
    /// moment, whether or not earlier backups exist. Each segment is verified before it is written. A read-only engine
    /// writes the state that it shows, beside the owner of the store, and holds batches that are in no segment in
    /// memory a second time; otherwise the memory is bounded by some frames of 1 MiB.
    ///
    /// - Parameters:
    ///   - engine: The open store.
    ///   - options: The encryption of the stream.
    ///   - progress: Called on this thread, with the bytes of segments that were written and that there are. It may
    ///     throw to cancel.
    ///   - write: Receives the stream in pieces of at most about 1 MiB. The bytes are valid during the call.
    /// - Returns: What the backup holds. Its number is 0.
    /// - Throws: `.corruption` if the store's own files are damaged; the errors of `write`, of the key's source, and of
    ///   reading. A stream that was begun is then not complete, and can't be restored.
    /// - Complexity: O(bytes of all segments).
    @discardableResult
    public static func backUp(
        _ engine: Engine, options: BackupStreamOptions = BackupStreamOptions(),
        progress: @escaping MaintenanceProgress.Handler = { _ in },
        to write: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> BackupInfo {
        let store = try engine.freeze()
        let run = try BackupStreamRun(store, options, progress)
        try run.writeHead(write)
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
    private let environment = SegmentEnvironment(memoryBudget: 64 << 20, openFileLimit: 64)
    private let progress: ByteProgress
    private let writer: BackupStreamWriter
    private var end = BackupStreamEnd()

    init(
        _ store: FrozenStore, _ options: BackupStreamOptions, _ progress: @escaping MaintenanceProgress.Handler
    ) throws(StorageError) {
        self.store = store
        do { memory = try MemoryFileSystem().openDirectory("segments", create: true) } catch {
            throw error.storageError
        }
        state = try store.complete(in: memory)
        try state.requireNoValueFiles()
        writer = try BackupStreamWriter(options.encryption)
        self.progress = ByteProgress(
            state.version.levels.flatMap(\.segments).reduce(0) { $0 + $1.metadata.fileBytes }, progress)
    }

    var segments: [SegmentMetadata] { state.version.levels.flatMap { $0.segments.map(\.metadata) } }

    var info: BackupInfo {
        var info = BackupInfo(number: 0, state: state, wallMilliseconds: store.wallMilliseconds)
        info.copiedSegments = info.segments
        info.copiedBytes = info.storedBytes
        return info
    }

    func writeHead(_ write: (RawSpan) throws(StorageError) -> Void) throws(StorageError) {
        let head = BackupStreamHead(
            identity: store.identity, wallMilliseconds: store.wallMilliseconds, segmentBytes: info.storedBytes)
        try writer.append(.head) { head.encode(into: &$0) }
        try flush(write)
    }

    func write(
        _ segment: SegmentMetadata, _ write: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        let isOwn = store.isIncomplete && segment.number >= store.state.nextFileNumber
        let directory = isOwn ? memory : store.segments
        try FileCopy.requireSize(of: segment, in: directory)
        try Segment(metadata: segment, directory: directory, environment: environment).verify()
        let file: any ReadableFile
        do { file = try directory.open(segment.fileName) } catch { throw error.storageError }
        defer { file.close() }
        file.adviseSequential(offset: 0, count: segment.fileBytes)
        try writer.append(.segment) { buffer in
            buffer.append(segment.number)
            buffer.append(segment.fileBytes)
        }
        var offset: UInt64 = 0
        while offset < segment.fileBytes {
            let count = try writer.appendData(of: file, at: offset, limit: segment.fileBytes - offset)
            offset += count
            try flush(write)
            try progress.add(count)
        }
        end.segments += 1
        end.segmentBytes += segment.fileBytes
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
        try writer.append(.end) { end.encode(into: &$0) }
        try flush(write)
    }

    private func flush(_ write: (RawSpan) throws(StorageError) -> Void) throws(StorageError) {
        try write(writer.output.bytes.span)
        writer.takeOutput()
    }
}
