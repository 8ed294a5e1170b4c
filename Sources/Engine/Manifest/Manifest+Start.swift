package import ShaleBase
import ShaleLog
package import ShalePlatform
package import ShaleSegment

extension Manifest {
    /// Writes a whole manifest that opens with `state`, makes it the current one and removes the one before, which
    /// `identity` names (0 = none).
    package static func start(
        in directory: any Directory, state: StoreState, identity: CurrentFile, fileNumbers: FileNumbers,
        makeSegment: @escaping (SegmentMetadata) -> Segment, owner: (any FileLock)? = nil
    ) throws(StorageError) -> Manifest {
        let draft = try draft(
            in: directory, state: state, identity: identity, fileNumbers: fileNumbers, makeSegment: makeSegment,
            owner: owner)
        let manifest = try draft.enforce()
        manifest.leavesOldManifest = !draft.removePrevious()
        return manifest
    }

    /// The first half of ``start(in:state:identity:fileNumbers:makeSegment:owner:)``, which can be undone: when it fails, it has
    /// removed what it made.
    package static func draft(
        in directory: any Directory, state: StoreState, identity: CurrentFile, fileNumbers: FileNumbers,
        makeSegment: @escaping (SegmentMetadata) -> Segment, owner: (any FileLock)? = nil
    ) throws(StorageError) -> ManifestDraft {
        var state = state
        let number = fileNumbers.allocate()
        state.nextFileNumber = fileNumbers.next
        let current = CurrentFile(
            manifestNumber: number, storeID: identity.storeID, createdMilliseconds: identity.createdMilliseconds)
        do throws(IOFailure) {
            try owner?.verify()
            let log = try write(state, in: directory, number: number, owner)
            try current.writeAside(in: directory)
            return ManifestDraft(
                directory: directory, log: log, state: state, current: current,
                previousNumber: identity.manifestNumber, fileNumbers: fileNumbers, makeSegment: makeSegment,
                owner: owner)
        } catch {
            throw ManifestDraft.removing(number, in: directory, after: error).neededFileError
        }
    }

    /// Writes a manifest that nothing names yet. Its content and its name are durable.
    private static func write(
        _ state: StoreState, in directory: any Directory, number: UInt64, _ owner: (any FileLock)?
    ) throws(IOFailure) -> LogWriter {
        var buffer = ByteBuffer(capacity: 4096)
        state.snapshotEdit.encode(into: &buffer)
        let size = LogFormat.endOffset(ofRecord: buffer.count, appendedAt: UInt64(LogFormat.headerSize))
        let log = try LogWriter(
            directory: directory, name: StoreLayout.manifest(number), number: number, kind: .manifest,
            previous: .none, preallocate: size + stepBytes)
        log.owner = owner
        try log.append(buffer.bytes)
        try log.sync()
        log.markSynced(through: log.endOffset)
        try directory.sync()
        return log
    }
}

/// A manifest that is written and durable, and the successor of CURRENT that names it. No reader looks at either.
package struct ManifestDraft {
    let directory: any Directory
    let log: LogWriter
    let state: StoreState
    let current: CurrentFile
    let previousNumber: UInt64
    let fileNumbers: FileNumbers
    let makeSegment: (SegmentMetadata) -> Segment
    let owner: (any FileLock)?

    /// Its own number, and that of the manifest before.
    package var numbers: [UInt64] { [current.manifestNumber, previousNumber] }

    /// Lets CURRENT name it. After a failure nobody can tell which manifest is in force, this one or the one before, so neither
    /// they nor what they refer to may be removed.
    package func enforce() throws(StorageError) -> Manifest {
        do { try current.replace(in: directory) } catch { throw error.neededFileError }
        return Manifest(
            directory: directory, current: current, log: log, openingBytes: log.endOffset, state: state,
            fileNumbers: fileNumbers, makeSegment: makeSegment, owner: owner)
    }

    /// Removes the manifest before, once this one is in force. False if that fails: it is an orphan then, and the next open
    /// removes it.
    package func removePrevious() -> Bool {
        guard previousNumber != 0 else { return true }
        do { try directory.remove(StoreLayout.manifest(previousNumber)) } catch { return false }
        return true
    }

    /// Removes a draft whose making failed with `failure`, which is what the caller has to know: a file that can't be
    /// removed now only takes space until the next open.
    static func removing(_ number: UInt64, in directory: any Directory, after failure: IOFailure) -> IOFailure {
        for name in [StoreLayout.manifest(number), StoreLayout.currentTemporary] {
            do { if try directory.exists(name) { try directory.remove(name) } } catch { continue }
        }
        return failure
    }
}
