import ShaleBase
import ShaleLog
import ShaleManifest
import ShalePlatform
import ShaleSegment

/// What can be learnt of a store without trusting that any file of it is there or whole. Reads only.
struct DamagedStore {
    let root: any Directory
    /// `nil` when the directory is gone.
    let segments: (any Directory)?
    let logs: (any Directory)?
    let environment = SegmentEnvironment(memoryBudget: 64 << 20, openFileLimit: 64)
    private(set) var losses: [Loss] = []
    /// `nil` when CURRENT does not hold.
    private(set) var current: CurrentFile?
    /// What the manifest says, as far as it could be read.
    private(set) var state = StoreState()
    /// Whether that is all that it said.
    private(set) var hasManifest = false
    /// Held while the store is read; nil where there is no lock file, or none can be taken on a medium that nobody can write.
    private let lock: (any FileLock)?

    /// `isAlone`: nobody may have the store open.
    init(at path: String, _ fileSystem: any FileSystem, isAlone: Bool) throws(StorageError) {
        do throws(IOFailure) {
            root = try fileSystem.openDirectory(path, create: false)
            lock = isAlone ? try DamagedStore.takeLock(root) : nil
            segments = try DamagedStore.directory(StoreLayout.segmentDirectory, in: root)
            logs = try DamagedStore.directory(StoreLayout.logDirectory, in: root)
        } catch {
            if error.isWouldBlock {
                throw StorageError(.locked, "the store is in use", file: StoreLayout.lock, cause: error)
            }
            throw error.storageError
        }
        try readCurrent()
        try readManifest()
    }

    private static func takeLock(_ root: any Directory) throws(IOFailure) -> (any FileLock)? {
        guard try root.exists(StoreLayout.lock) else { return nil }
        do throws(IOFailure) {
            return try root.lock(StoreLayout.lock)
        } catch {
            if error.isReadOnlyMedium { return nil }
            throw error
        }
    }

    private static func directory(_ name: String, in root: any Directory) throws(IOFailure) -> (any Directory)? {
        do throws(IOFailure) {
            return try root.openDirectory(name, create: false)
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    var makeSegment: (SegmentMetadata) -> Segment {
        // Without their directory, segments are not found, wherever they are looked for.
        { [segments, root, environment] in
            Segment(metadata: $0, directory: segments ?? root, environment: environment)
        }
    }

    // MARK: Files

    func logNumbers() throws(StorageError) -> [UInt64] { try numbers(in: logs) { StoreLayout.logNumber($0) } }

    func segmentNumbers() throws(StorageError) -> [UInt64] {
        try numbers(in: segments) { StoreLayout.segmentNumber($0) }
    }

    private func numbers(
        in directory: (any Directory)?, _ number: (String) -> UInt64?
    ) throws(StorageError) -> [UInt64] {
        do throws(IOFailure) {
            return try directory?.list().compactMap(number).sorted() ?? []
        } catch {
            throw error.storageError
        }
    }

    // MARK: CURRENT and manifest

    private mutating func readCurrent() throws(StorageError) {
        do {
            current = try CurrentFile.read(in: root)
        } catch {
            guard error.isLossOfBytes else { throw error }
            // That it is lost takes nothing with it while the manifest is found without it.
            losses.append(
                Loss(file: StoreLayout.current, offset: 0, bytes: 64, reason: error.lossReason, entries: 0))
        }
    }

    /// Without CURRENT the newest manifest is in force: an older one is removed as soon as CURRENT no longer names it, so
    /// one that is left has a successor only where a crash came in between, before anything else was written.
    private mutating func readManifest() throws(StorageError) {
        let found = try numbers(in: root) { StoreLayout.manifestNumber($0) }
        guard let number = current?.manifestNumber ?? found.last else {
            let others = try logNumbers() + segmentNumbers()
            guard !others.isEmpty else { throw StorageError(.missing, "the directory holds no store", file: root.path) }
            losses.append(
                Loss(file: StoreLayout.manifestPrefix, offset: 0, bytes: nil, reason: "there is no manifest"))
            return
        }
        do {
            let named =
                current
                ?? CurrentFile(manifestNumber: number, storeID: StoreID(0, 0), createdMilliseconds: 0)
            state = try Manifest.replay(named, in: root, makeSegment: makeSegment)
            hasManifest = true
            try compareWithFiles(number)
        } catch {
            guard error.isLossOfBytes else { throw error }
            losses.append(
                Loss(
                    file: StoreLayout.manifest(number), offset: error.offset ?? 0, bytes: nil, reason: error.lossReason)
            )
            if let rest = found.last(where: { $0 <= number }) { try readBeginning(of: rest) }
        }
    }

    /// A segment that is gone, beside one that was begun after the manifest's last edit, looks as if an edit that replaced the
    /// one by the other was lost, and with it nobody knows what else.
    private mutating func compareWithFiles(_ number: UInt64) throws(StorageError) {
        let files = try segmentNumbers()
        let present = Set(files)
        let missing = state.version.levels.lazy.flatMap(\.segments).first { !present.contains($0.number) }
        guard let missing, let later = files.last, later >= state.nextFileNumber else { return }
        hasManifest = false
        losses.append(
            Loss(
                file: StoreLayout.manifest(number), offset: 0, bytes: nil,
                reason: "it names segment \(missing.number), which is gone, and not \(later), which came later"))
    }

    /// The names of namespaces are worth having even where nothing else that the manifest said is certain.
    private mutating func readBeginning(of number: UInt64) throws(StorageError) {
        var replay = StateReplay(from: StoreState(), makeSegment: makeSegment)
        do throws(StorageError) {
            let file: any ReadableFile
            do { file = try root.open(StoreLayout.manifest(number)) } catch { throw error.storageError }
            defer { file.close() }
            let reader = try LogReader(
                file: file, path: StoreLayout.manifest(number), number: number, kind: .manifest)
            while let record = try reader.next() {
                let edit = try ManifestEdit(decoding: record.payload)
                do throws(ParseFailure) { try replay.apply(edit) } catch { break }
            }
        } catch {
            guard error.isLossOfBytes else { throw error }
        }
        // Which segments there were is looked for elsewhere: what is left of the list would contradict itself.
        do throws(ParseFailure) { state = try replay.finish() } catch { state = StoreState() }
    }
}
