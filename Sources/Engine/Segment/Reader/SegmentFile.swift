import ShaleBase
import ShalePlatform
import Synchronization

/// A segment's file, opened for reads and closed when the pool of open files needs its place. Thread-safe.
final class SegmentFile: Sendable {
    let directory: any Directory
    let number: UInt64
    private let name: String
    private let files: OpenFiles
    private let entry = OpenFiles.Entry()
    private let mapping = SegmentMapping()

    init(number: UInt64, directory: any Directory, files: OpenFiles) {
        self.directory = directory
        self.number = number
        self.files = files
        name = SegmentFileName.make(number)
    }

    deinit { files.close(entry) }

    /// The path, for error messages.
    var path: String { FileName.join(directory.path, name) }

    /// Reads exactly `target.count` bytes at `offset`.
    func read(into target: MutableBytes, at offset: UInt64) throws(StorageError) {
        let count: Int
        do {
            count = try handle().read(into: target, at: offset)
        } catch {
            throw explained(error.storageError.inFile(path, at: offset))
        }
        guard count == target.count else {
            throw corruption("the file ends before byte \(offset + UInt64(target.count))", at: offset)
        }
    }

    /// Returns `error`, or `.outdated` if the owner of the store, in another process, has deleted the file.
    ///
    /// The owner removes the name before it cuts the file.
    private func explained(_ error: StorageError) -> StorageError {
        guard files.isBesideOwner else { return error }
        do throws(IOFailure) { if try directory.exists(name) { return error } } catch { return error.storageError }
        return StorageError(
            .outdated, "the owner of the store has deleted a file of the state that is read", file: path, cause: error)
    }

    /// Reads like ``read(into:at:)``, a few pages at a random place: from the file's mapping if there is one.
    ///
    /// The bytes are a copy, so that what the caller verifies does not change. Missing ones are read from the file,
    /// which reports the error.
    func readSmall(into target: MutableBytes, at offset: UInt64) throws(StorageError) {
        try files.residency.sample(offset) { () throws(StorageError) in
            if files.mapsFiles, !files.residency.isCold, let mapping = mapping.get({ mapped() }),
                mapping.copy(into: target, at: offset)
            {
                return
            }
            try read(into: target, at: offset)
        }
    }

    /// Returns the number of bytes to read first of a split block: its key part, or all of it if it comes from the
    /// device, which takes longer than copying what is not needed.
    func firstReadBytes(_ place: BlockPlace) -> Int {
        let all = place.handle.totalBytes
        return all <= SegmentFile.coldReadBytesMax && files.residency.begin() ? all : place.keyPartBytes
    }

    private static let coldReadBytesMax = 16 << 10

    /// Prefetches `count` bytes at `offset` without waiting, if ``readSmall(into:at:)`` copies them from memory.
    func touch(_ count: Int, at offset: UInt64) {
        guard files.mapsFiles, !files.residency.isCold else { return }
        mapping.made?.touch(count, at: offset)
    }

    /// Maps the file. A file that can't be opened has no mapping; the read that follows reports the error.
    private func mapped() -> (any FileMapping)? {
        do throws(IOFailure) {
            return try handle().mapping()
        } catch {
            return nil
        }
    }

    func size() throws(StorageError) -> UInt64 {
        do { return try sizeOnDisk() } catch { throw explained(error) }
    }

    /// Returns the size. A missing file is `.missing`, also beside an owner: an opening judges what that means.
    func sizeOnDisk() throws(StorageError) -> UInt64 {
        do {
            return try handle().size()
        } catch {
            throw error.storageError.inFile(path)
        }
    }

    /// Returns an error about the file's content; `.outdated` if the owner of the store has deleted the file.
    func corruption(_ message: String, at offset: UInt64) -> StorageError {
        explained(.corruption(message, file: path, offset: offset))
    }

    private func handle() throws(IOFailure) -> any ReadableFile {
        try files.handle(of: entry) { () throws(IOFailure) in try directory.open(name) }
    }
}

/// The mapping of a segment's file, made at the first read that may use it. Thread-safe; later reads take no lock.
final class SegmentMapping: @unchecked Sendable {
    private let lock = Lock()
    private let isMade = Atomic(false)
    /// Set under `lock` before ``isMade``, constant afterwards.
    @exclusivity(unchecked)
    private var mapping: (any FileMapping)?

    /// The mapping, if it is made.
    var made: (any FileMapping)? { isMade.load(ordering: .acquiring) ? unsafe mapping : nil }

    /// Returns the mapping, which `make` makes once; `nil` if it could not.
    func get(_ make: () -> (any FileMapping)?) -> (any FileMapping)? {
        if !isMade.load(ordering: .acquiring) {
            lock.withLock {
                guard !isMade.load(ordering: .relaxed) else { return }
                unsafe mapping = make()
                isMade.store(true, ordering: .releasing)
            }
        }
        return unsafe mapping
    }
}
