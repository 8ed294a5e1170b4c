package import ShaleBase
import ShaleLog
import ShalePlatform
import ShaleSegment

/// The store's durable state: a log of edits, the state that they result in, and CURRENT, which names the log.
///
/// `commit` returns only when the edit is durable. If writing or syncing fails, the content of the disk is unknown.
/// Then the caller poisons the engine and this object refuses every further edit.
///
/// Not thread-safe: used under the engine's manifest lock.
package final class Manifest: @unchecked Sendable {
    /// A new manifest begins when the log exceeds this size, or twice its opening snapshot if that is more.
    private static let rotationBytes: UInt64 = 4 << 20

    /// The space reserved after the opening record, and again when less than ``aheadBytes`` is left. So a full disk
    /// refuses an edit before any of it is written, and small edits, which free space, still fit.
    static let stepBytes: UInt64 = 64 << 10

    private let directory: any Directory
    private let makeSegment: (SegmentMetadata) -> Segment
    private var current: CurrentFile
    private var log: LogWriter
    private let fileNumbers: FileNumbers
    private var openingBytes: UInt64
    /// True if the content of the disk is unknown.
    package private(set) var hasFailed = false
    /// True if the space ahead of the end could not be reserved. Then edits that change nothing should not be written.
    package private(set) var isShortOfSpace = false
    /// True if the previous manifest could not be removed.
    package internal(set) var leavesOldManifest = false
    /// The size at which a rotation that found no space is retried.
    private var rotationRetry: UInt64 = 0
    package private(set) var state: StoreState
    /// The store's lock, checked before each edit, and by the log after each sync: contract M-1.
    private let owner: (any FileLock)?

    init(
        directory: any Directory, current: CurrentFile, log: LogWriter, openingBytes: UInt64, state: StoreState,
        fileNumbers: FileNumbers, makeSegment: @escaping (SegmentMetadata) -> Segment, owner: (any FileLock)?
    ) {
        self.owner = owner
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

    /// The name of the current manifest.
    package var fileName: String { StoreLayout.manifest(log.number) }

    // MARK: Changing

    /// Makes `edit` durable and then applies it to the state. An edit that contradicts the state is refused without
    /// writing.
    package func commit(_ edit: ManifestEdit) throws(StorageError) {
        guard !hasFailed else { throw StorageError(.poisoned, "an earlier write of the manifest failed") }
        var complete = edit
        complete.facts.append(.nextFileNumber(fileNumbers.next))
        let next: StoreState
        do throws(ParseFailure) {
            next = try state.applying(complete, makeSegment: makeSegment)
        } catch {
            throw .invalid("the edit contradicts the store's state: \(error.reason)")
        }
        try requireOwnership()
        do throws(IOFailure) {
            var buffer = ByteBuffer(capacity: 512)
            complete.encode(into: &buffer)
            try log.append(buffer.bytes)
            let size = log.endOffset
            if !PlantedBug.isActive(.skipManifestSync) { try log.sync() }
            log.markSynced(through: size)
        } catch {
            // An edit that found no space was not written at all.
            hasFailed = log.failure != nil
            throw error.storageError
        }
        state = next
        try appendSyncWitness()
        try keepAhead()
        if log.endOffset > max(Manifest.rotationBytes, 2 * openingBytes, rotationRetry) { try rotate() }
    }

    /// Throws if the store's lock is lost. Another writer may have read this manifest already, so nothing may be
    /// appended.
    private func requireOwnership() throws(StorageError) {
        if PlantedBug.isActive(.trustLostLock) { return }
        do {
            try owner?.verify()
        } catch {
            hasFailed = true
            throw error.storageError
        }
    }

    /// Appends a mark that records the last edit as durable.
    ///
    /// Another edit would record that too, but seldom follows soon. Without the record, later damage to the edit would
    /// be taken for a torn tail, and the edit would be undone. If the mark finds no space it is omitted.
    func appendSyncWitness() throws(StorageError) {
        if PlantedBug.isActive(.neverWitness) { return }
        do {
            try log.appendMark()
        } catch {
            guard log.failure != nil else { return }
            hasFailed = true
            throw error.storageError
        }
    }

    /// The space that is reserved after the end while the disk has space. It holds two edits for each of 4096
    /// namespaces and some hundred others. With its mark, such an edit takes less than 128 bytes.
    private var aheadBytes: UInt64 {
        Manifest.stepBytes / 2 + min(256 * UInt64(state.catalogue.records.count), 1 << 20)
    }

    /// Reserves space ahead of the end. If there is none, the edits that still fit are not refused.
    func keepAhead() throws(StorageError) {
        do {
            isShortOfSpace = try !log.keepAhead(aheadBytes, step: Manifest.stepBytes)
        } catch {
            hasFailed = true
            throw error.storageError
        }
    }

    /// Begins a new manifest, as after an edit that made the log too long.
    package func rewrite() throws(StorageError) {
        guard !hasFailed else { throw StorageError(.poisoned, "an earlier write of the manifest failed") }
        try rotate()
    }

    /// Begins a new manifest. If there is no space for it, the old one continues. Until CURRENT is replaced nothing
    /// refers to the new file, so it is removed.
    private func rotate() throws(StorageError) {
        try requireOwnership()
        let draft: ManifestDraft
        do throws(StorageError) {
            draft = try Manifest.draft(
                in: directory, state: state, identity: current, fileNumbers: fileNumbers, makeSegment: makeSegment,
                owner: owner)
        } catch {
            hasFailed = error.code != .noSpace
            if hasFailed { throw error }
            return postponeRotation()
        }
        var isRefused = false
        do throws(StorageError) {
            let next = try draft.makeCurrent(&isRefused)
            if !draft.removePrevious() { leavesOldManifest = true }
            try close()
            state = next.state
            current = next.current
            log = next.log
            openingBytes = next.openingBytes
            rotationRetry = 0
        } catch {
            if isRefused { return postponeRotation() }
            hasFailed = true
            throw error
        }
    }

    private func postponeRotation() { rotationRetry = log.endOffset + Manifest.rotationBytes / 4 }

    package func close() throws(StorageError) {
        do { try log.close(truncating: false) } catch { throw error.storageError }
    }

    /// Gives up the references to the state's segments. No edit may follow.
    package func releaseSegments() { state.version = .empty }
}
