import ShaleBase
import ShaleCompaction
import ShaleLog
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment

extension StoreOpener {
    /// Creates an empty store and opens it.
    ///
    /// CURRENT is written last and makes the directory a store. Until it is durable there are only empty directories
    /// and the first manifest. So a crash on the way leaves nothing that could be taken for data.
    func create(_ root: any Directory, _ lock: (any FileLock)?) throws(StorageError) -> OpenedStore {
        let first = StoreLayout.manifest(StoreOpener.firstFileNumber)
        let directories: StoreDirectories
        do throws(IOFailure) {
            if try root.exists(first) { try root.remove(first) }
            directories = try StoreDirectories(root: root, create: true)
        } catch {
            throw error.neededFileError
        }
        let parts = OpenParts(options, environment, directories)
        let identity = CurrentFile(
            manifestNumber: 0, storeID: StoreID(environment.random.next(), environment.random.next()),
            createdMilliseconds: options.time.wallMilliseconds)
        let manifest = try Manifest.start(
            in: root, state: StoreState(), identity: identity,
            fileNumbers: FileNumbers(next: StoreOpener.firstFileNumber), makeSegment: parts.makeSegment, owner: lock)
        try manifest.close()
        return try openExisting(root, lock)
    }

    func openExisting(_ root: any Directory, _ lock: (any FileLock)?) throws(StorageError) -> OpenedStore {
        let current = try CurrentFile.read(in: root)
        let directories: StoreDirectories
        do { directories = try StoreDirectories(root: root, create: false) } catch { throw error.neededFileError }
        let parts = OpenParts(options, environment, directories)
        let replayed = try Manifest.read(current, in: root, makeSegment: parts.makeSegment)
        let state = replayed.state
        try checkCatalogue(state)
        parts.clock.begin(state)
        try checkSegments(state.version.levels.flatMap(\.segments), directories)
        let files = try StoreFiles(directories)
        let replay = try self.replay(state, parts, files)
        guard max(state.lastSequence, replay.lastSequence) <= FormatLimits.lastSequence else {
            throw .corruption(
                "the store has used all sequence numbers", file: StoreLayout.manifest(current.manifestNumber), offset: 0
            )
        }
        for record in state.catalogue.records.values { parts.erasures.create(record) }
        parts.fileNumbers.raise(to: max(state.nextFileNumber, files.largestNumber + 1))
        // Everything has been read: from here on the store is changed.
        let isHolderUnnamed = lock?.publishHolder() == false
        return try StoreServing(
            opener: self, parts: parts, replayed: replayed, replay: replay, lock: lock, isHolderUnnamed: isHolderUnnamed
        ).serve()
    }

    func checkCatalogue(_ state: StoreState) throws(StorageError) {
        guard let check = environment.checkCatalogue else { return }
        try check(state.catalogue.records.values.map { NamespaceDescription($0) })
    }

    /// Reads the logs that `state` needs into memtables.
    func replay(
        _ state: StoreState, _ parts: OpenParts, _ files: StoreFiles
    ) throws(StorageError) -> LogReplay {
        var replay = LogReplay(
            directory: parts.directories.logs, state: state, arenas: parts.arenas, values: parts.values,
            readsAhead: usesThreads)
        try replay.run(files.logs)
        return replay
    }

    /// Throws unless every one of the manifest's segments exists with the recorded size.
    ///
    /// The content is checked when it is read. A read-only opener keeps the files open, within the limit, because a
    /// writer may remove them at any moment.
    func checkSegments(_ segments: [Segment], _ directories: StoreDirectories) throws(StorageError) {
        for segment in segments {
            let path = StoreLayout.segmentPath(segment.number)
            let size: UInt64
            do throws(StorageError) {
                size = try options.mode == .readOnly ? segment.fileSize() : self.size(of: segment, directories)
            } catch {
                guard error.code == .missing else { throw error }
                throw .corruption("a segment that the manifest names is missing", file: path, offset: 0, cause: error)
            }
            guard size == segment.metadata.fileBytes else {
                throw .corruption(
                    "a segment has a wrong size size=\(size) recorded=\(segment.metadata.fileBytes)", file: path,
                    offset: min(size, segment.metadata.fileBytes))
            }
        }
        try checkValues(segments, directories)
    }

    /// Throws unless every value file that `segments` use exists with at least the recorded size.
    private func checkValues(_ segments: [Segment], _ directories: StoreDirectories) throws(StorageError) {
        var sizes: [UInt64: UInt64] = [:]
        for use in segments.flatMap(\.metadata.values) { sizes[use.file] = max(sizes[use.file] ?? 0, use.fileBytes) }
        for (number, recorded) in sizes.sorted(by: { $0.key < $1.key }) {
            let path = StoreLayout.valuesPath(number)
            let size: UInt64
            do throws(IOFailure) {
                size = try directories.segments.sizeOfFile(StoreLayout.values(number))
            } catch {
                guard error.isMissing else { throw error.storageError.inFile(path) }
                throw .corruption(
                    "a value file that the manifest names is missing", file: path, offset: 0, cause: error)
            }
            guard size >= recorded else {
                throw .corruption(
                    "a value file is cut short size=\(size) recorded=\(recorded)", file: path, offset: size)
            }
        }
    }

    private func size(of segment: Segment, _ directories: StoreDirectories) throws(StorageError) -> UInt64 {
        let name = StoreLayout.segment(segment.number)
        do {
            return try directories.segments.sizeOfFile(name)
        } catch {
            throw error.neededFileError.inFile(StoreLayout.segmentDirectory + "/" + name)
        }
    }
}
