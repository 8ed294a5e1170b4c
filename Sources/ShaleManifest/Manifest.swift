package import ShaleBase
import ShaleLog
package import ShalePlatform
package import ShaleSegment

/// The store's durable state: a log of edits, the state that they make, and CURRENT, which names the log.
///
/// `commit` returns only when the edit is durable; if writing or syncing fails, nobody can tell what the disk holds, so
/// the caller poisons the engine and this object refuses every further edit.
///
/// Not thread-safe: used under the engine's manifest lock.
package final class Manifest: @unchecked Sendable {
    /// A new manifest begins when the log passes this size, or twice its opening snapshot if that is more.
    private static let rotationBytes: UInt64 = 4 << 20

    /// Space reserved ahead: a full disk then refuses an edit before anything of it is written, and small edits, which
    /// give space back, still fit.
    private static let preallocatedBytes: UInt64 = 64 << 10

    private let directory: any Directory
    private let makeSegment: (SegmentMetadata) -> Segment
    private var current: CurrentFile
    private var log: LogWriter
    private let fileNumbers: FileNumbers
    private var openingBytes: UInt64
    /// Whether nobody can tell any more what the disk holds.
    package private(set) var hasFailed = false
    /// The size at which a rotation that found no space is tried again.
    private var rotationRetry: UInt64 = 0
    package private(set) var state: StoreState

    private init(
        directory: any Directory, current: CurrentFile, log: LogWriter, openingBytes: UInt64, state: StoreState,
        fileNumbers: FileNumbers, makeSegment: @escaping (SegmentMetadata) -> Segment
    ) {
        self.directory = directory
        self.current = current
        self.log = log
        self.openingBytes = openingBytes
        self.state = state
        self.fileNumbers = fileNumbers
        self.makeSegment = makeSegment
    }

    package var storeID: StoreID { current.storeID }
    package var createdMilliseconds: Int64 { current.createdMilliseconds }

    /// The name of the manifest in force.
    package var fileName: String { StoreLayout.manifest(log.number) }

    /// Writes a whole manifest that opens with `state`, makes it the current one and removes the one before, which
    /// `identity` names (0 = none). The new manifest's name is durable before CURRENT names it.
    package static func start(
        in directory: any Directory, state: StoreState, identity: CurrentFile, fileNumbers: FileNumbers,
        makeSegment: @escaping (SegmentMetadata) -> Segment
    ) throws(StorageError) -> Manifest {
        var state = state
        let number = fileNumbers.allocate()
        state.nextFileNumber = fileNumbers.next
        do throws(IOFailure) {
            let log = try write(state, in: directory, number: number)
            return try enforce(log, directory, state, identity, fileNumbers, makeSegment)
        } catch {
            throw error.storageError
        }
    }

    /// Writes a manifest that nothing names yet. Its content and its name are durable.
    private static func write(
        _ state: StoreState, in directory: any Directory, number: UInt64
    ) throws(IOFailure) -> LogWriter {
        let log = try LogWriter(
            directory: directory, name: StoreLayout.manifest(number), number: number, kind: .manifest,
            previous: .none, preallocate: preallocatedBytes)
        var buffer = ByteBuffer(capacity: 4096)
        state.snapshotEdit.encode(into: &buffer)
        try log.append(buffer.bytes)
        let size = log.endOffset
        try log.sync()
        log.markSynced(through: size)
        try directory.sync()
        return log
    }

    /// Lets CURRENT name a manifest that was just written.
    private static func enforce(
        _ log: LogWriter, _ directory: any Directory, _ state: StoreState, _ identity: CurrentFile,
        _ fileNumbers: FileNumbers, _ makeSegment: @escaping (SegmentMetadata) -> Segment
    ) throws(IOFailure) -> Manifest {
        let current = CurrentFile(
            manifestNumber: log.number, storeID: identity.storeID, createdMilliseconds: identity.createdMilliseconds)
        try current.write(in: directory)
        if identity.manifestNumber != 0 { try directory.remove(StoreLayout.manifest(identity.manifestNumber)) }
        return Manifest(
            directory: directory, current: current, log: log, openingBytes: log.endOffset, state: state,
            fileNumbers: fileNumbers, makeSegment: makeSegment)
    }

    /// Replays the manifest that CURRENT names. Reads only.
    package static func replay(
        _ current: CurrentFile, in directory: any Directory, makeSegment: @escaping (SegmentMetadata) -> Segment
    ) throws(StorageError) -> StoreState {
        let name = StoreLayout.manifest(current.manifestNumber)
        let file: any ReadableFile
        do throws(IOFailure) {
            file = try directory.open(name)
        } catch {
            if error.isMissing {
                throw .corruption("the manifest that CURRENT names is missing", file: name, offset: 0, cause: error)
            }
            throw error.storageError
        }
        defer { file.close() }
        let reader = try LogReader(file: file, path: name, number: current.manifestNumber, kind: .manifest)
        var replay = StateReplay(from: StoreState(), makeSegment: makeSegment)
        var last: UInt64?
        func contradiction(_ failure: ParseFailure, at offset: UInt64) -> StorageError {
            .corruption("the manifest contradicts itself: \(failure.reason)", file: name, offset: offset)
        }
        _ = try reader.forEach { (record) throws(StorageError) in
            let edit: ManifestEdit
            do throws(StorageError) {
                edit = try ManifestEdit(decoding: record.payload)
            } catch {
                throw error.inFile(name, at: record.offset)
            }
            last = record.offset
            do throws(ParseFailure) { try replay.apply(edit) } catch { throw contradiction(error, at: record.offset) }
        }
        guard let last else { throw .corruption("the manifest has lost its opening record", file: name, offset: 0) }
        do throws(ParseFailure) { return try replay.finish() } catch { throw contradiction(error, at: last) }
    }

    // MARK: Changing

    /// Makes `edit` durable and then the state. An edit that contradicts the state is refused without writing.
    package func commit(_ edit: ManifestEdit) throws(StorageError) {
        guard !hasFailed else { throw StorageError(.poisoned, "the manifest failed before") }
        var complete = edit
        complete.facts.append(.nextFileNumber(fileNumbers.next))
        let next: StoreState
        do throws(ParseFailure) {
            next = try state.applying(complete, makeSegment: makeSegment)
        } catch {
            throw .invalid("the edit contradicts the store's state: \(error.reason)")
        }
        do throws(IOFailure) {
            var buffer = ByteBuffer(capacity: 512)
            complete.encode(into: &buffer)
            try log.append(buffer.bytes)
            let size = log.endOffset
            if !PlantedBug.isActive(.skipManifestSync) { try log.sync() }
            log.markSynced(through: size)
        } catch {
            // An edit that found no space was refused whole.
            hasFailed = log.failure != nil
            throw error.storageError
        }
        state = next
        try vouch()
        if log.endOffset > max(Manifest.rotationBytes, 2 * openingBytes, rotationRetry) { try rotate() }
    }

    /// Seldom does another edit follow soon that would vouch for the last one: without a successor, later damage to it
    /// would pass for a torn tail and undo it. A mark that finds no space is left out.
    private func vouch() throws(StorageError) {
        if PlantedBug.isActive(.neverVouch) { return }
        do {
            try log.appendMark()
        } catch {
            guard log.failure != nil else { return }
            hasFailed = true
            throw error.storageError
        }
    }

    /// Begins anew, as after an edit that made the log too long.
    package func rewrite() throws(StorageError) {
        guard !hasFailed else { throw StorageError(.poisoned, "the manifest failed before") }
        try rotate()
    }

    /// Begins anew. Without space for that the old manifest goes on.
    private func rotate() throws(StorageError) {
        let number = fileNumbers.allocate()
        do throws(IOFailure) {
            state.nextFileNumber = fileNumbers.next
            let fresh: LogWriter
            do throws(IOFailure) {
                fresh = try Manifest.write(state, in: directory, number: number)
            } catch {
                guard error.isOutOfSpace else { throw error }
                rotationRetry = log.endOffset + Manifest.rotationBytes / 4
                return try removeIfThere(StoreLayout.manifest(number))
            }
            let next = try Manifest.enforce(fresh, directory, state, current, fileNumbers, makeSegment)
            try log.close(truncating: false)
            current = next.current
            log = fresh
            openingBytes = next.openingBytes
            rotationRetry = 0
        } catch {
            hasFailed = true
            throw error.storageError
        }
    }

    private func removeIfThere(_ name: String) throws(IOFailure) {
        if try directory.exists(name) { try directory.remove(name) }
    }

    package func close() throws(StorageError) {
        do { try log.close(truncating: false) } catch { throw error.storageError }
    }
}
