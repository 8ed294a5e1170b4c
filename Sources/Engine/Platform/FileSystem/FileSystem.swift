package import ShaleBase

/// The engine's only access to the disk.
///
/// There are two implementations: POSIX, and a simulated one that tracks what was synced and can crash or fail at any
/// call. Everything below `openDirectory` is relative to a directory handle, so that no component inside a store is
/// followed through a symbolic link.
package protocol FileSystem: AnyObject, Sendable {
    /// Opens a directory by path, which may contain symbolic links above its last component.
    ///
    /// If it is missing, `create` makes it (mode 0700) and syncs its parent.
    ///
    /// - Throws: `ENOENT` if the directory is missing and `create` is false.
    func openDirectory(_ path: String, create: Bool) throws(IOFailure) -> any Directory

    /// Makes the names of the directory at `path` and of the directories above it durable.
    ///
    /// The process that made them may have died before it synced their parents.
    func syncNames(above path: String) throws(IOFailure)
}

extension FileSystem {
    /// Does nothing: the default for file systems whose directories are durable as soon as they are made.
    package func syncNames(above path: String) throws(IOFailure) {}
}

/// An open directory. Thread-safe.
///
/// No requirement has a default, except ``allocatedBytes(of:)``: a wrapper that forgot to forward one would hide the
/// wrapped directory's implementation.
package protocol Directory: AnyObject, Sendable {
    /// The path for error messages: relative to the store ("segments"), or the store's own path.
    var path: String { get }

    /// Device and inode, equal for two names of one directory.
    var identity: FileIdentity { get }

    /// Creates a file: O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC, mode 0600. An existing name is `EEXIST`.
    func create(_ name: String) throws(IOFailure) -> any WritableFile

    /// Opens an existing regular file for reading.
    func open(_ name: String) throws(IOFailure) -> any ReadableFile

    /// Opens an existing regular file for further writes.
    func reopen(_ name: String) throws(IOFailure) -> any WritableFile

    /// Opens a directory below this one and, if `create` is true, makes it when it is missing (mode 0700).
    ///
    /// Its name is durable only after `sync`.
    func openDirectory(_ name: String, create: Bool) throws(IOFailure) -> any Directory

    func exists(_ name: String) throws(IOFailure) -> Bool

    /// Returns the names in this directory, sorted, without "." and "..".
    func list() throws(IOFailure) -> [String]

    /// Renames a file atomically, replacing `newName` if it exists.
    func rename(_ name: String, to newName: String, in target: any Directory) throws(IOFailure)

    /// Makes a hard link. An existing `newName` is `EEXIST`, another device `EXDEV`.
    func link(_ name: String, to newName: String, in target: any Directory) throws(IOFailure)

    /// Removes the name of a file. Open handles of the file keep working. A directory is `EISDIR`.
    func remove(_ name: String) throws(IOFailure)

    /// Removes the name of a file and frees a large file's space in small steps, if no other name or handle can observe
    /// that.
    ///
    /// Some file systems discard freed blocks on the device immediately. Syncs of other files then wait for one step
    /// instead of the whole file.
    func removeInSteps(_ name: String) throws(IOFailure)

    /// Removes the name of a file and then truncates the file, if it has no other name.
    ///
    /// Open handles reach the end of the file where they expect content. So the space is free although another process
    /// keeps the file open.
    func removeAndCut(_ name: String) throws(IOFailure)

    /// Removes an empty directory below this one.
    func removeDirectory(_ name: String) throws(IOFailure)

    /// Makes the names in this directory durable.
    func sync() throws(IOFailure)

    /// True if a sync succeeded without reaching the medium, because the file system offers nothing stronger.
    var durabilityIsReduced: Bool { get }

    /// Takes an exclusive advisory lock on the file `name`.
    ///
    /// Creates the file if it is missing, keeps its content and never removes it.
    ///
    /// - Throws: `EWOULDBLOCK` if another process, or another opener in this process under any name, holds the lock.
    func lock(_ name: String) throws(IOFailure) -> any FileLock

    /// Opens the existing file `name`, a lock file, to hold positions on it. Writes nothing.
    func openHolds(_ name: String) throws(IOFailure) -> any FileHolds

    /// True if the permissions grant other users any access.
    var isOpenToOthers: Bool { get }

    /// True if the directory belongs to the user of this process and the permissions grant other users no access.
    var isPrivate: Bool { get }

    /// Returns the space in bytes that an unprivileged writer can still use.
    func freeBytes() throws(IOFailure) -> UInt64

    /// Returns the disk space of a file in bytes, as `du` counts it. Does not open the file.
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

/// A file open for writing.
///
/// One thread writes at a time; ``preallocate(_:)`` may run beside it. `close` is idempotent and the last call.
package protocol WritableFile: AnyObject, Sendable {
    var name: String { get }

    /// Writes all of `bytes` at `offset`.
    ///
    /// Short writes are continued and `EINTR` is retried. After an error the content of the range is unknown.
    func write(_ bytes: Bytes, at offset: UInt64) throws(IOFailure)

    /// Writes `first` at `offset` and `second` behind it, like one ``write(_:at:)`` of both.
    func write(_ first: Bytes, _ second: Bytes, at offset: UInt64) throws(IOFailure)

    /// Reserves space and extends the file to `size` with zeros.
    ///
    /// Later writes below `size` then change no metadata and can't run out of space. If the file system can't reserve,
    /// nothing happens and ``keepsReservations`` becomes false.
    ///
    /// Other threads may meanwhile write below the size that was reserved before: the call changes no byte that they
    /// write. A file longer than `size` keeps its length.
    func preallocate(_ size: UInt64) throws(IOFailure)

    /// False once ``preallocate(_:)`` has found that the file system can't reserve.
    ///
    /// The file then takes its space as it is written, a write may run out of space, and there are no windows.
    var keepsReservations: Bool { get }

    /// Returns the file's bytes `offset ..< offset + count` as writable memory; `nil` if the caller has to use
    /// ``write(_:at:)``, which also reports the error, if there is one.
    ///
    /// The range must be preallocated, and `offset` must be a multiple of 32 KiB. Windows and `write` see each other's
    /// bytes. Release the window before the file is truncated.
    func window(offset: UInt64, count: Int) -> FileWindow?

    func truncate(to size: UInt64) throws(IOFailure)

    /// Makes content and size durable: `fdatasync`, on Darwin `F_FULLFSYNC`. No caller retries it after a failure.
    func sync() throws(IOFailure)

    /// True if a sync succeeded without reaching the medium, because the file system offers nothing stronger.
    var durabilityIsReduced: Bool { get }

    /// Returns true if the medium holds what reads of the first `count` bytes return, or if that can't be found out.
    ///
    /// Call it after a sync. A sync that failed in an earlier process leaves pages that look clean but were never
    /// written, and a later sync succeeds. Pass no more than the bytes that matter: a refused truncation on btrfs sets
    /// the page behind the new end to zero in memory alone.
    func isOnMedium(first count: UInt64) throws(IOFailure) -> Bool

    func close() throws(IOFailure)
}

extension WritableFile {
    /// Joins the parts: the default for files that can't gather them.
    package func write(_ first: Bytes, _ second: Bytes, at offset: UInt64) throws(IOFailure) {
        let joined = OwnedBytes(count: first.count + second.count)
        defer { withExtendedLifetime(joined) {} }
        joined.mutable.copy(first, at: 0)
        joined.mutable.copy(second, at: first.count)
        try write(joined.bytes, at: offset)
    }

    package var keepsReservations: Bool { true }
    package func window(offset: UInt64, count: Int) -> FileWindow? { nil }
    package var durabilityIsReduced: Bool { false }
    package func isOnMedium(first count: UInt64) throws(IOFailure) -> Bool { true }
}

/// A file open for reading; thread-safe.
package protocol ReadableFile: AnyObject, Sendable {
    var name: String { get }
    func size() throws(IOFailure) -> UInt64

    /// Reads up to `target.count` bytes at `offset`; fewer only at the end of the file. EINTR is retried.
    func read(into target: MutableBytes, at offset: UInt64) throws(IOFailure) -> Int

    /// Returns the offset at or after `offset` at which content begins: everything between is a hole and reads as
    /// zeros.
    ///
    /// Returns `offset` itself if there is no hole or the file system does not tell, and the size of the file if no
    /// content follows.
    func contentOffset(from offset: UInt64) throws(IOFailure) -> UInt64

    /// Returns the whole file as memory; `nil` if it has to be read. The file does not become shorter while it is used.
    ///
    /// The mapping outlives the file's handle.
    func mapping() -> (any FileMapping)?

    /// Hints that the range will soon be read in order.
    func adviseSequential(offset: UInt64, count: UInt64)

    /// Closes the file. Idempotent; `deinit` closes too.
    func close()
}

extension ReadableFile {
    package func contentOffset(from offset: UInt64) throws(IOFailure) -> UInt64 { offset }

    /// Returns `nil`: the default for files that have no memory of their own.
    package func mapping() -> (any FileMapping)? { nil }
}

/// A held lock, released by `release` or by `deinit`.
package protocol FileLock: AnyObject, Sendable {
    /// Replaces the content of the lock file by `text`, for other processes to read.
    ///
    /// The text is not synced, and a reader may see a part of it.
    ///
    /// - Throws: `EMLINK` if the file has a second name, because it may be a user's file whose content must stay.
    func publish(_ text: Bytes) throws(IOFailure)

    /// Throws `ESTALE` if the name under which the lock was taken no longer leads to the locked file.
    ///
    /// The file was removed, renamed or replaced, and another opener may hold a lock under that name.
    func verify() throws(IOFailure)

    /// Returns the positions that other openers hold on the file (``FileHolds``), unordered; `[0]` if there are more
    /// than ``FileHoldLimits/positions``. Reports no position twice.
    ///
    /// Misses no position that is held from the call's beginning to its end, and no opener that takes a higher position
    /// before it releases a lower one. Without any position it is one system call.
    func heldPositions() throws(IOFailure) -> [UInt64]

    func release()
}

/// Positions on a lock file that this opener holds and the owner of the lock sees.
///
/// A hold ends with ``release(_:)``, with ``close()`` or with the process, however that dies. It needs no write access
/// and changes no byte. Thread-safe.
package protocol FileHolds: AnyObject, Sendable {
    /// Holds a position from 0 to ``FileHoldLimits/positionMax``. Holding it again has no effect.
    ///
    /// - Throws: `ENOTSUP` where the system has no such locks.
    func hold(_ position: UInt64) throws(IOFailure)

    /// Ends the hold of a position.
    func release(_ position: UInt64)

    /// Throws `ESTALE` if the name no longer leads to the file on which the positions are held.
    func verify() throws(IOFailure)

    /// Ends all holds. Idempotent; `deinit` closes too.
    func close()
}

package enum FileHoldLimits {
    /// More positions are reported as the position 0.
    package static let positions = 256
    package static let positionMax: UInt64 = 1 << 61
}

extension Directory {
    /// Returns the size of the file, as the default for directories that know nothing better.
    package func allocatedBytes(of name: String) throws(IOFailure) -> UInt64 { try sizeOfFile(name) }

    /// Returns the size of an existing regular file.
    package func sizeOfFile(_ name: String) throws(IOFailure) -> UInt64 {
        let file = try open(name)
        defer { file.close() }
        return try file.size()
    }
}

/// Names of files inside a directory handle.
///
/// They never come from users. Every implementation still rejects a name that is not one plain component, because it
/// would lead out of the store.
package enum FileName {
    package static func isValid(_ name: String) -> Bool {
        guard !name.isEmpty, name != ".", name != "..", name.utf8.count <= 255 else { return false }
        return !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }

    package static func join(_ directory: String, _ name: String) -> String {
        directory.hasSuffix("/") ? directory + name : directory + "/" + name
    }
}
