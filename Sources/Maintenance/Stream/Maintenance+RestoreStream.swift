public import ShaleBase
import ShaleManifest
package import ShalePlatform
import ShaleSegment
import ShaleValues

extension Maintenance {
    /// Makes a store from a backup in a stream, in the directory `target`, which must not exist or must be empty.
    ///
    /// Until this returns the directory is no store: a stream that is cut or damaged at any place leaves none, nor any
    /// file of it. Each frame is checked before its content is used, and every byte is verified before `target` becomes
    /// a store. The memory is bounded by some MiB and the largest value.
    ///
    /// - Parameters:
    ///   - target: The directory of the new store.
    ///   - options: The source of the key of an encrypted stream.
    ///   - progress: Called on this thread, with the bytes of segments and value files that arrived and that there are.
    ///     It may throw to cancel.
    ///   - read: Returns the next piece of the stream, of any length. An empty piece ends the stream.
    /// - Throws: `.invalidArgument` if the stream is no backup, or if `target` is not empty; `.corruption` with the
    ///   position in the stream if it is cut or damaged; `.authenticationFailed` if it was changed after its
    ///   encryption; `.missingKey`, `.wrongKey`, `.cipherMismatch`; `.newerFormat`; the errors of `read` and of
    ///   writing.
    /// - Complexity: O(bytes of the stream).
    @discardableResult
    public static func restore(
        into target: String, options: BackupStreamOptions = BackupStreamOptions(),
        progress: @escaping MaintenanceProgress.Handler = { _ in }, read: () throws(StorageError) -> [UInt8]
    ) throws(StorageError) -> BackupInfo {
        try restore(
            into: target, options: options, fileSystem: PosixFileSystem(), progress: progress, read: read)
    }

    package static func restore(
        into target: String, options: BackupStreamOptions, fileSystem: any FileSystem,
        progress: @escaping MaintenanceProgress.Handler = { _ in }, read: () throws(StorageError) -> [UInt8]
    ) throws(StorageError) -> BackupInfo {
        var reader = BackupStreamReader()
        try reader.begin(options, read)
        let head = try BackupStreamFormat.parse(try reader.next(.head, read)) { (content) throws(ParseFailure) in
            try BackupStreamHead(content)
        }
        let output = try NewStoreDirectory(at: target, fileSystem)
        do {
            var received = ReceivedFiles(output.segments, ByteProgress(head.storedBytes, progress))
            let state = try receive(&received, &reader, read)
            try received.verify(state)
            let manifest = try Manifest.start(
                in: output.root, state: state, identity: head.identity,
                fileNumbers: FileNumbers(next: state.nextFileNumber), makeSegment: received.makeSegment)
            try manifest.close()
            output.release()
            var info = BackupInfo(number: 0, state: state, wallMilliseconds: head.wallMilliseconds)
            info.restored = info.created
            return info
        } catch {
            output.abandon()
            throw error
        }
    }

    /// Receives everything behind the head, and returns the state.
    private static func receive(
        _ received: inout ReceivedFiles, _ reader: inout BackupStreamReader, _ read: BackupStreamReader.Source
    ) throws(StorageError) -> StoreState {
        var frame = try reader.next(read)
        while frame.type == .segment || frame.type == .values {
            try received.receive(frame, &reader, read)
            frame = try reader.next(read)
        }
        let start = frame.offset
        var edit = ByteBuffer()
        while frame.type == .state {
            guard edit.count + frame.content.count <= BackupStreamFormat.stateBytesMax else {
                throw BackupStreamFormat.damage("its state is too long", at: frame.offset)
            }
            edit.append(frame.content)
            frame = try reader.next(read)
        }
        guard frame.type == .end else { throw BackupStreamReader.unexpected(frame) }
        let end = try BackupStreamFormat.parse(frame) { (content) throws(ParseFailure) in
            try BackupStreamEnd(content, hasValues: reader.hasValues)
        }
        guard end == received.end else {
            throw BackupStreamFormat.damage("its end names other files than it has", at: frame.offset)
        }
        try reader.requireEnd(read)
        return try state(edit.bytes, at: start, received)
    }

    private static func state(
        _ bytes: Bytes, at offset: UInt64, _ received: ReceivedFiles
    ) throws(StorageError) -> StoreState {
        let edit: ManifestEdit
        do throws(StorageError) {
            edit = try ManifestEdit(decoding: bytes)
        } catch {
            throw StorageError(error.code, "the state of the stream: \(error.message)", offset: offset)
        }
        do throws(ParseFailure) {
            return try StoreState(copied: edit, makeSegment: received.makeSegment)
        } catch {
            throw BackupStreamFormat.damage(error.reason, at: offset)
        }
    }
}

/// The segments and value files that a stream has delivered.
private struct ReceivedFiles {
    private let directory: any Directory
    private let environment = SegmentEnvironment(memoryBudget: 64 << 20, openFileLimit: 16)
    private let progress: ByteProgress
    /// The sizes of segments by number.
    private var sizes: [UInt64: UInt64] = [:]
    /// The sizes of value files by number.
    private var valueSizes: [UInt64: UInt64] = [:]
    private(set) var end = BackupStreamEnd()

    init(_ directory: any Directory, _ progress: ByteProgress) {
        self.directory = directory
        self.progress = progress
    }

    func makeSegment(_ metadata: SegmentMetadata) -> Segment {
        Segment(metadata: metadata, directory: directory, environment: environment)
    }

    /// Writes the file that `frame` announces.
    mutating func receive(
        _ frame: BackupStreamReader.Frame, _ reader: inout BackupStreamReader, _ read: BackupStreamReader.Source
    ) throws(StorageError) {
        let head = try BackupStreamFormat.parse(frame) { (content) throws(ParseFailure) in
            let head = try BackupStreamFile(content)
            let isKnown = frame.type == .values ? valueSizes[head.number] != nil : sizes[head.number] != nil
            guard !isKnown else { throw ParseFailure("it has file \(head.number) twice") }
            guard reader.hasValues || frame.type != .values else { throw ParseFailure("it may have no value files") }
            return head
        }
        if frame.type == .values {
            valueSizes[head.number] = head.bytes
            end.valueFiles += 1
            end.valueBytes += head.bytes
            try write(head, StoreLayout.values(head.number), &reader, read)
        } else {
            sizes[head.number] = head.bytes
            end.segments += 1
            end.segmentBytes += head.bytes
            try write(head, StoreLayout.segment(head.number), &reader, read)
        }
    }

    private func write(
        _ head: BackupStreamFile, _ name: String, _ reader: inout BackupStreamReader,
        _ read: BackupStreamReader.Source
    ) throws(StorageError) {
        let file: any WritableFile
        do { file = try directory.create(name) } catch { throw error.storageError }
        var offset: UInt64 = 0
        while offset < head.bytes {
            let data = try reader.next(.data, read)
            let count = UInt64(data.content.count)
            guard count > 0, count <= head.bytes - offset else {
                throw BackupStreamFormat.damage("a file has more bytes than announced", at: data.offset)
            }
            do { try file.write(data.content, at: offset) } catch { throw error.storageError }
            offset += count
            try progress.add(count)
        }
        do throws(IOFailure) {
            try file.sync()
            try file.close()
        } catch {
            throw error.storageError
        }
    }

    /// Verifies every byte of the segments and the values to which they refer, and makes the names of the files
    /// durable. The files must be those of `state`.
    func verify(_ state: StoreState) throws(StorageError) {
        let segments = state.version.levels.flatMap(\.segments)
        guard segments.count == sizes.count, segments.allSatisfy({ sizes[$0.number] == $0.metadata.fileBytes }) else {
            throw .corruption("the stream is damaged: its segments are not those of its state")
        }
        let values = state.version.sortedValues
        guard values.count == valueSizes.count, values.allSatisfy({ valueSizes[$0.file] == $0.fileBytes }) else {
            throw .corruption("the stream is damaged: its value files are not those of its state")
        }
        try environment.checkHeaders(of: values, in: directory)
        for segment in segments { try segment.verify() }
        do { try directory.sync() } catch { throw error.storageError }
    }
}
