package import ShaleBase
import ShaleLog
package import ShalePlatform
package import ShaleSegment

/// The content of a manifest, and the end of its log.
package struct ReplayedManifest {
    package let current: CurrentFile
    package let state: StoreState
    let end: LogEnd
    let endsWithMark: Bool
}

extension Manifest {
    /// Returns the state in the manifest that CURRENT names. Read only.
    package static func replay(
        _ current: CurrentFile, in directory: any Directory, makeSegment: @escaping (SegmentMetadata) -> Segment
    ) throws(StorageError) -> StoreState {
        try read(current, in: directory, makeSegment: makeSegment).state
    }

    /// Reads the manifest that CURRENT names, for an opening that may have to continue it.
    package static func read(
        _ current: CurrentFile, in directory: any Directory, makeSegment: @escaping (SegmentMetadata) -> Segment
    ) throws(StorageError) -> ReplayedManifest {
        let file = try open(current, in: directory)
        defer { file.close() }
        return try read(current, file, makeSegment: makeSegment)
    }

    /// Opens the manifest that CURRENT names. Throws `.corruption` if it is missing: beside an owner, CURRENT may name
    /// another one by now.
    package static func open(
        _ current: CurrentFile, in directory: any Directory
    ) throws(StorageError) -> any ReadableFile {
        let name = StoreLayout.manifest(current.manifestNumber)
        do throws(IOFailure) {
            return try directory.open(name)
        } catch {
            if error.isMissing {
                throw .corruption("the manifest that CURRENT names is missing", file: name, offset: 0, cause: error)
            }
            throw error.neededFileError
        }
    }

    static func read(
        _ current: CurrentFile, _ file: any ReadableFile, makeSegment: @escaping (SegmentMetadata) -> Segment
    ) throws(StorageError) -> ReplayedManifest {
        let name = StoreLayout.manifest(current.manifestNumber)
        let reader = try LogReader(file: file, path: name, number: current.manifestNumber, kind: .manifest)
        var replay = RecordReplay(name, from: StoreState(), makeSegment: makeSegment)
        var last: UInt64?
        let end = try reader.forEach { (record) throws(StorageError) in
            last = record.offset
            try replay.apply(record)
        }
        guard let last else { throw .corruption("the manifest has lost its opening record", file: name, offset: 0) }
        return ReplayedManifest(
            current: current, state: try replay.finish(at: last), end: end, endsWithMark: reader.endsWithMark)
    }

    /// Makes a manifest that was just read durable, and the CURRENT that names it. Returns false if the device does not
    /// hold what was read.
    package static func makeDurable(
        _ replayed: ReplayedManifest, in directory: any Directory
    ) throws(StorageError) -> Bool {
        if PlantedBug.isActive(.removeOnUnsyncedEdit) { return true }
        do throws(IOFailure) {
            let file = try directory.reopen(StoreLayout.manifest(replayed.current.manifestNumber))
            try file.sync()
            guard try file.isOnMedium(first: replayed.end.offset) else { return false }
            try file.close()
            // CURRENT may have been replaced just before the process ended.
            try directory.sync()
            return true
        } catch {
            throw error.storageError
        }
    }

    /// Continues a manifest that was just read, if there is no space for a new one. ShaleEngine.docc, "Full disks".
    ///
    /// 1. The edits may never have been synced, so they are made durable first.
    /// 2. A torn edit after them was never acknowledged. It is overwritten with zeros. A copy-on-write file system may
    ///    lack the space for them. Then the next edit removes the torn one first, or is refused.
    /// 3. Edits are appended only after the zeros are durable. A crash in between leaves a torn edit, or none, at the
    ///    same end.
    ///
    /// - Throws: `.noSpace` if the file's own space is not allocated, or if its device does not hold what was read.
    package static func resume(
        _ replayed: ReplayedManifest, in directory: any Directory, fileNumbers: FileNumbers,
        makeSegment: @escaping (SegmentMetadata) -> Segment, owner: (any FileLock)? = nil
    ) throws(StorageError) -> Manifest {
        let name = StoreLayout.manifest(replayed.current.manifestNumber)
        let end = replayed.end
        let log: LogWriter
        do throws(IOFailure) {
            let file = try directory.reopen(name)
            let size = try directory.sizeOfFile(name)
            try file.preallocate(size)
            let isTorn = try !overwrite(end.tornBytes, of: file, at: end.offset)
            try file.sync()
            guard try file.isOnMedium(first: end.offset) else { throw IOFailure.outOfSpace("sync", name) }
            // CURRENT may have been replaced just before the process ended.
            try directory.sync()
            log = LogWriter(
                continuing: file, number: replayed.current.manifestNumber, at: end.offset, reserved: size,
                isTorn: isTorn)
            log.owner = owner
        } catch {
            throw error.storageError
        }
        let manifest = Manifest(
            directory: directory, current: replayed.current, log: log, openingBytes: end.offset,
            state: replayed.state, fileNumbers: fileNumbers, makeSegment: makeSegment, owner: owner)
        if !replayed.endsWithMark { try manifest.appendSyncWitness() }
        try manifest.keepAhead()
        return manifest
    }

    /// Writes `count` zeros. Returns false if there is no space for them in a file that keeps no reservations.
    private static func overwrite(
        _ count: UInt64, of file: any WritableFile, at offset: UInt64
    ) throws(IOFailure) -> Bool {
        guard count > 0 else { return true }
        let zeros = OwnedBytes(count: LogFormat.blockSize)
        zeros.mutable.zero(0, LogFormat.blockSize)
        var done: UInt64 = 0
        while done < count {
            let step = min(count - done, UInt64(LogFormat.blockSize))
            do throws(IOFailure) {
                try file.write(zeros.bytes.slice(0, Int(step)), at: offset + done)
            } catch {
                guard error.isOutOfSpace, !file.keepsReservations else { throw error }
                return false
            }
            done += step
        }
        return true
    }
}
