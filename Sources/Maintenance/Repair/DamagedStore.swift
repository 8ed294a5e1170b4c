import ShaleBase
import ShaleLog
import ShaleManifest
import ShalePlatform
import ShaleSegment
import ShaleValues

/// Everything that can be read of a store, without assuming that any of its files exists or is intact. Read-only.
struct DamagedStore {
    let root: any Directory
    /// `nil` if the directory is missing.
    let segments: (any Directory)?
    let logs: (any Directory)?
    let environment = SegmentEnvironment(memoryBudget: 64 << 20, openFileLimit: 64)
    private(set) var losses: [Loss] = []
    /// `nil` if CURRENT is missing or damaged.
    private(set) var current: CurrentFile?
    /// The state by the manifest, as far as it could be read.
    private(set) var state = StoreState()
    /// True if the whole manifest could be read.
    private(set) var hasManifest = false
    /// Held while the store is read; `nil` if there is no lock file, or if it can't be locked on a read-only medium.
    private let lock: (any FileLock)?

    /// Opens the directory. With `isAlone` the store must not be open anywhere.
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
        // If their directory is missing, segments are looked for in the root, where they are not found.
        { [segments, root, environment] in
            Segment(metadata: $0, directory: segments ?? root, environment: environment)
        }
    }

    /// Returns the value to which an encoded reference leads.
    func value(_ reference: Bytes) throws(StorageError) -> OwnedBytes {
        try valueSource.read(try ValueReference(stored: reference))
    }

    var valueSource: ValueSource { ValueSource(environment.values, in: segments ?? root) }

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
            // The loss of CURRENT affects no entries if the manifest is found without it.
            losses.append(
                Loss(file: StoreLayout.current, offset: 0, bytes: 64, reason: error.lossReason, entries: 0))
        }
    }

    /// Reads the manifest; without CURRENT, the newest one. An older manifest is removed as soon as CURRENT no longer
    /// names it. If an older one is left, a crash came between the two steps, before anything else was written.
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

    /// Detects a lost edit.
    ///
    /// 1. A segment of the manifest is missing, and another segment exists that was begun after the manifest's last
    ///    edit.
    /// 2. Then an edit that replaced the one by the other was probably lost.
    /// 3. It is unknown which other edits were lost with it, so the manifest counts as incomplete.
    private mutating func compareWithFiles(_ number: UInt64) throws(StorageError) {
        let files = try segmentNumbers()
        let present = Set(files)
        let missing = state.version.levels.lazy.flatMap(\.segments).first { !present.contains($0.number) }
        guard let missing, let later = files.last, later >= state.nextFileNumber else { return }
        hasManifest = false
        losses.append(
            Loss(
                file: StoreLayout.manifest(number), offset: 0, bytes: nil,
                reason: "it names segment \(missing.number), which is missing, but not the later segment \(later)"))
    }

    /// Reads the records before the damage. The names of namespaces are useful even if nothing else in the manifest is
    /// certain.
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
        // The list of segments is not taken from here: the remains of the list would be inconsistent.
        do throws(ParseFailure) { state = try replay.finish() } catch { state = StoreState() }
    }
}
