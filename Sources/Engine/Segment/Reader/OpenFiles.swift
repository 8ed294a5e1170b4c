import ShaleBase
import ShalePlatform
import Synchronization

/// A pool that keeps at most `limit` segment files open.
///
/// It closes files that were not used since the clock hand's last round. A file in use stays open until its reader is
/// done, even beyond the limit. Thread-safe.
package final class OpenFiles: @unchecked Sendable {
    /// A file's entry in the pool; guarded by the lock of ``OpenFiles``.
    final class Entry: @unchecked Sendable {
        fileprivate var handle: (any ReadableFile)?
        fileprivate var isUsed = false
        fileprivate var ringIndex = -1
    }

    private let lock = Lock()
    private var ring: [Entry] = []
    private var hand = 0
    private var shortages: UInt64 = 0
    private let limit: Int
    /// True if another process may delete the files: the owner of the store.
    let isBesideOwner: Bool
    /// True if small reads copy from mappings where the system has some.
    let mapsFiles: Bool

    package init(limit: Int, isBesideOwner: Bool = false, mapsFiles: Bool = false) {
        self.limit = max(1, limit)
        self.isBesideOwner = isBesideOwner
        self.mapsFiles = mapsFiles
    }

    package var openCount: Int { lock.withLock { ring.count } }

    /// Returns the entry's handle, opened with `open` if necessary.
    func handle(
        of entry: Entry, open: () throws(IOFailure) -> any ReadableFile
    ) throws(IOFailure) -> any ReadableFile {
        let present: (any ReadableFile)? = lock.withLock {
            entry.isUsed = true
            return entry.handle
        }
        if let present { return present }
        let opened = try open()
        var closed: [any ReadableFile] = []
        let handle: any ReadableFile = lock.withLock {
            if let other = entry.handle { return other }
            while ring.count >= limit { closed.append(contentsOf: closeOne()) }
            entry.handle = opened
            entry.ringIndex = ring.count
            ring.append(entry)
            return opened
        }
        // Handles in `closed` close here, outside the lock, unless a reader still uses them.
        return handle
    }

    /// Closes half of the files, the least used first, because file descriptors have run out.
    ///
    /// Returns false if none was open. Files in use close when their readers are done.
    package func closeHalf() -> Bool {
        let closed: [any ReadableFile] = lock.withLock {
            var closed: [any ReadableFile] = []
            for _ in 0..<((ring.count + 1) / 2) { closed.append(contentsOf: closeOne()) }
            if !closed.isEmpty { shortages += 1 }
            return closed
        }
        // The files close here, outside the lock.
        return !closed.isEmpty
    }

    /// The number of times that files were closed because file descriptors had run out.
    package var shortageCount: UInt64 { lock.withLock { shortages } }

    func close(_ entry: Entry) {
        let handle: (any ReadableFile)? = lock.withLock { remove(entry) }
        withExtendedLifetime(handle) {}
    }

    private func closeOne() -> [any ReadableFile] {
        while true {
            if hand >= ring.count { hand = 0 }
            let entry = ring[hand]
            if entry.isUsed {
                entry.isUsed = false
                hand += 1
            } else {
                return remove(entry).map { [$0] } ?? []
            }
        }
    }

    private func remove(_ entry: Entry) -> (any ReadableFile)? {
        guard entry.ringIndex >= 0 else { return nil }
        let last = ring.removeLast()
        if last !== entry {
            ring[entry.ringIndex] = last
            last.ringIndex = entry.ringIndex
        }
        entry.ringIndex = -1
        defer { entry.handle = nil }
        return entry.handle
    }
}

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
        if files.mapsFiles, let mapping = mapping.get({ mapped() }), mapping.copy(into: target, at: offset) { return }
        try read(into: target, at: offset)
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
