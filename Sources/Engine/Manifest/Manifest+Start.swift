package import ShaleBase
import ShaleLog
package import ShalePlatform
package import ShaleSegment

extension Manifest {
    /// Writes a new manifest that opens with `state`, makes it the current one and removes the previous one, which
    /// `identity` names (0 = none).
    package static func start(
        in directory: any Directory, state: StoreState, identity: CurrentFile, fileNumbers: FileNumbers,
        makeSegment: @escaping (SegmentMetadata) -> Segment, owner: (any FileLock)? = nil
    ) throws(StorageError) -> Manifest {
        let draft = try draft(
            in: directory, state: state, identity: identity, fileNumbers: fileNumbers, makeSegment: makeSegment,
            owner: owner)
        var isRefused = false
        let manifest = try draft.makeCurrent(&isRefused)
        manifest.leavesOldManifest = !draft.removePrevious()
        return manifest
    }

    /// Performs the first half of ``start(in:state:identity:fileNumbers:makeSegment:owner:)``, which can be undone: on
    /// failure all new files are removed.
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

    /// Writes a manifest that CURRENT does not name yet. Its content and its name are durable on return.
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

/// A durable manifest, and the successor of CURRENT that names it. No reader opens either yet.
package struct ManifestDraft {
    let directory: any Directory
    let log: LogWriter
    let state: StoreState
    let current: CurrentFile
    let previousNumber: UInt64
    let fileNumbers: FileNumbers
    let makeSegment: (SegmentMetadata) -> Segment
    let owner: (any FileLock)?

    /// The number of this manifest, and of the previous one.
    package var numbers: [UInt64] { [current.manifestNumber, previousNumber] }

    /// Makes this the current manifest. After a failure either this one or the previous one may be current, so neither
    /// they nor the files that they refer to may be removed.
    ///
    /// - Parameter isRefused: True on failure if the rename found no space. A refused rename has no effect: the
    ///   previous manifest is the current one, and this one is removed.
    package func makeCurrent(_ isRefused: inout Bool) throws(StorageError) -> Manifest {
        do { try current.rename(in: directory) } catch {
            guard error.isOutOfSpace else { throw error.neededFileError }
            isRefused = true
            throw ManifestDraft.removing(current.manifestNumber, in: directory, after: error).neededFileError
        }
        do { try CurrentFile.syncName(in: directory) } catch { throw error.neededFileError }
        return Manifest(
            directory: directory, current: current, log: log, openingBytes: log.endOffset, state: state,
            fileNumbers: fileNumbers, makeSegment: makeSegment, owner: owner)
    }

    /// Removes the previous manifest after this one became the current one. Returns false if that fails; then the file
    /// is an orphan that the next open removes.
    package func removePrevious() -> Bool {
        guard previousNumber != 0 else { return true }
        do { try directory.remove(StoreLayout.manifest(previousNumber)) } catch { return false }
        return true
    }

    /// Removes a draft whose creation failed with `failure`, and returns `failure`. If a removal fails, the file only
    /// takes space until the next open.
    static func removing(_ number: UInt64, in directory: any Directory, after failure: IOFailure) -> IOFailure {
        for name in [StoreLayout.manifest(number), StoreLayout.currentTemporary] {
            do { if try directory.exists(name) { try directory.remove(name) } } catch { continue }
        }
        return failure
    }
}
