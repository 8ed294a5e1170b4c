package import ShaleBase

/// The only door to the disk. Two implementations: POSIX, and a simulated one that remembers what was synced and can
/// crash or fail at any call. Everything below `openDirectory` is relative to a directory handle, so that no component
/// inside a store is ever followed through a symbolic link.
package protocol FileSystem: AnyObject, Sendable {
    /// Opens a directory by path, which may contain symbolic links above its last component. `create` makes it (0700)
    /// and syncs its parent when it is missing; otherwise a missing directory is `ENOENT`.
    func openDirectory(_ path: String, create: Bool) throws(IOFailure) -> any Directory
    /// Makes the name of the directory at `path` durable, and the names of the directories above it: whoever made them
    /// may have died before syncing their parents.
    func syncNames(above path: String) throws(IOFailure)
}

extension FileSystem {
    /// For file systems whose directories are durable as soon as they are made.
    package func syncNames(above path: String) throws(IOFailure) {}
}

/// An open directory. Thread-safe. Nothing here has a default: one that wraps another would hide what the other does.
package protocol Directory: AnyObject, Sendable {
    /// For error messages: the path relative to the store ("segments"), or the store's own path.
    var path: String { get }
    /// Device and inode: equal for two names of one directory.
    var identity: FileIdentity { get }

    /// O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC, mode 0600: an existing name is `EEXIST`.
    func create(_ name: String) throws(IOFailure) -> any WritableFile
    /// Opens an existing regular file for reading.
    func open(_ name: String) throws(IOFailure) -> any ReadableFile
    /// Opens an existing regular file to go on writing it.
    func reopen(_ name: String) throws(IOFailure) -> any WritableFile
    /// Opens a directory below this one, made (0700) when `create` says so; its name is durable only after `sync`.
    func openDirectory(_ name: String, create: Bool) throws(IOFailure) -> any Directory
    func exists(_ name: String) throws(IOFailure) -> Bool
    /// The names in this directory, sorted, without "." and "..".
    func list() throws(IOFailure) -> [String]
    /// Replaces `newName` if it exists, atomically.
    func rename(_ name: String, to newName: String, in target: any Directory) throws(IOFailure)
    /// Hard link; an existing `newName` is `EEXIST`, another device `EXDEV`.
    func link(_ name: String, to newName: String, in target: any Directory) throws(IOFailure)
    /// Removes the name of a file. Open handles of the file go on working. A directory is `EISDIR`.
    func remove(_ name: String) throws(IOFailure)
    /// The same, giving a large file's space back in small steps where nobody can tell: where the file system passes
    /// freed blocks on to the device at once, syncs of other files wait for one step and not for the whole file.
    func removeInSteps(_ name: String) throws(IOFailure)
    /// Removes a directory below this one, which must be empty.
    func removeDirectory(_ name: String) throws(IOFailure)
    /// Makes the names in this directory durable.
    func sync() throws(IOFailure)
    /// Whether a sync succeeded without reaching the medium, because the file system can't do better.
    var durabilityIsReduced: Bool { get }
    /// Takes an exclusive advisory lock on the file `name`, made when missing and never removed; `EWOULDBLOCK` when
    /// another process, or another opener in this process under whatever name, holds it. The content of the file stays.
    func lock(_ name: String) throws(IOFailure) -> any FileLock
    /// Whether others than its owner may do something with it.
    var isOpenToOthers: Bool { get }
    /// Space that an unprivileged writer can still use.
    func freeBytes() throws(IOFailure) -> UInt64
    /// Bytes of the disk that a file takes, as `du` counts them. Does not open the file.
    func allocatedBytes(of name: String) throws(IOFailure) -> UInt64
}

package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

/// A file that its creator writes. One writer at a time; `close` is idempotent and the last call.
package protocol WritableFile: AnyObject, Sendable {
    var name: String { get }
    /// Writes all of `bytes` at `offset`; short writes are continued and EINTR is retried, so an error means that the
    /// range's content is unknown.
    func write(_ bytes: Bytes, at offset: UInt64) throws(IOFailure)
    /// Reserves space and extends the file to `size` with zeros, so that later writes below it change no metadata and
    /// can't run out of space. Where the file system can't reserve, nothing happens and ``keepsReservations`` turns false.
    ///
    /// Other threads may meanwhile write below the size that was reserved before. No byte that they write is touched, and a
    /// file that is longer than `size` keeps its length.
    func preallocate(_ size: UInt64) throws(IOFailure)
    /// False once ``preallocate(_:)`` has found that the file system can't reserve: the file then takes its space as it is
    /// written, a write may run out of space, and there are no windows.
    var keepsReservations: Bool { get }
    /// The file's bytes `offset ..< offset + count` as memory to store into, nil where ``write(_:at:)`` has to be used:
    /// then it also says what is wrong, if anything is. The range was preallocated; `offset` is a multiple of 32 KiB. Windows
    /// and `write` see each other's bytes. Drop the window before the file is truncated.
    func window(offset: UInt64, count: Int) -> FileWindow?
    func truncate(to size: UInt64) throws(IOFailure)
    /// Makes content (and size) durable: fdatasync, F_FULLFSYNC on Darwin. Never retried by anybody after a failure.
    func sync() throws(IOFailure)
    /// Whether a sync succeeded without reaching the medium, because the file system can't do better.
    var durabilityIsReduced: Bool { get }
    /// True if the medium holds what reads of the file return. Ask after a sync: one that failed in an earlier process
    /// leaves pages that look clean and were never written, and a later sync succeeds. True where nothing can tell.
    func isOnMedium() throws(IOFailure) -> Bool
    func close() throws(IOFailure)
}

extension WritableFile {
    package var keepsReservations: Bool { true }
    package func window(offset: UInt64, count: Int) -> FileWindow? { nil }
    package var durabilityIsReduced: Bool { false }
    package func isOnMedium() throws(IOFailure) -> Bool { true }
}

/// A file open for reading; thread-safe.
package protocol ReadableFile: AnyObject, Sendable {
    var name: String { get }
    func size() throws(IOFailure) -> UInt64
    /// Reads up to `target.count` bytes at `offset`; fewer only at the end of the file. EINTR is retried.
    func read(into target: MutableBytes, at offset: UInt64) throws(IOFailure) -> Int
    /// Where content begins at or behind `offset`: everything between is a hole and reads as zeros. `offset` itself where
    /// the file system does not tell, or there is no hole; the size of the file if nothing follows.
    func contentOffset(from offset: UInt64) throws(IOFailure) -> UInt64
    /// Hint: the range will be read soon, in order.
    func adviseSequential(offset: UInt64, count: UInt64)
    /// Closing is idempotent; `deinit` closes too.
    func close()
}

extension ReadableFile {
    package func contentOffset(from offset: UInt64) throws(IOFailure) -> UInt64 { offset }
}

/// A held lock; released by `release` or by `deinit`.
package protocol FileLock: AnyObject, Sendable {
    /// Makes `text` the content of the lock's file, for whoever reads it. Not synced. Readers may see a part of it. Fails with
    /// `EMLINK` if the file has a second name: it may be somebody's whose content must stay.
    func publish(_ text: Bytes) throws(IOFailure)
    /// Throws `ESTALE` if the name under which the lock was taken is no longer that of the locked file: somebody has
    /// removed, renamed or replaced it, and others may hold a lock under that name.
    func verify() throws(IOFailure)
    func release()
}

extension Directory {
    /// Where nothing else is known: the size of the file.
    package func allocatedBytes(of name: String) throws(IOFailure) -> UInt64 { try sizeOfFile(name) }

    /// The size of an existing regular file.
    package func sizeOfFile(_ name: String) throws(IOFailure) -> UInt64 {
        let file = try open(name)
        defer { file.close() }
        return try file.size()
    }
}
