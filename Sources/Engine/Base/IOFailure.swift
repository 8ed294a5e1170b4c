#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A system call that failed, with the file that it was for and its `errno`.
public struct IOFailure: Error, Sendable, Equatable {
    public let operation: String
    public let file: String
    public let errorNumber: Int32

    public init(_ operation: String, _ file: String, _ errorNumber: Int32) {
        self.operation = operation
        self.file = file
        self.errorNumber = errorNumber
    }

    /// True if space, quota or file size limit is exhausted.
    ///
    /// The engine treats the three alike.
    public var isOutOfSpace: Bool { errorNumber == ENOSPC || errorNumber == EDQUOT || errorNumber == EFBIG }

    /// True if the process or the machine has no file descriptor left.
    public var isOutOfDescriptors: Bool { errorNumber == EMFILE || errorNumber == ENFILE }

    /// True if permissions deny the access.
    public var isPermission: Bool { errorNumber == EACCES || errorNumber == EPERM }

    /// True if another opener holds the lock.
    public var isWouldBlock: Bool { errorNumber == EWOULDBLOCK || errorNumber == EAGAIN }

    public var isMissing: Bool { errorNumber == ENOENT }

    /// True if the device failed to read or write (`EIO`).
    public var isMediumError: Bool { errorNumber == EIO }

    /// True if the file system is read-only.
    public var isReadOnlyMedium: Bool { errorNumber == EROFS }

    /// True if a hard link is impossible: across devices, beyond the largest number of links, or on this file system.
    public var isUnlinkable: Bool {
        errorNumber == EXDEV || errorNumber == EMLINK || errorNumber == EPERM || errorNumber == EOPNOTSUPP
    }

    /// True if a directory could not be removed because it is not empty.
    public var isNotEmpty: Bool { errorNumber == ENOTEMPTY || errorNumber == EEXIST }

    /// Returns the failure of a call that needs space on a full disk.
    package static func outOfSpace(_ operation: String, _ file: String) -> IOFailure {
        IOFailure(operation, file, ENOSPC)
    }

    /// True if the name refers to something else than the expected file or directory.
    ///
    /// Symbolic links are not followed.
    public var isWrongKind: Bool { errorNumber == EISDIR || errorNumber == ENOTDIR || errorNumber == ELOOP }

    /// True if the name under which a lock was taken no longer leads to the locked file.
    package var isLostLock: Bool { errorNumber == ESTALE && operation == "lock" }

    /// The error that callers of the engine see.
    package var storageError: StorageError {
        let code: StorageError.Code =
            isOutOfSpace ? .noSpace : isPermission ? .locked : isMissing ? .missing : .ioFailure
        guard !isLostLock else {
            return StorageError(
                .locked,
                "the file was removed, renamed or replaced while the store was open: another process may hold its lock",
                file: file, cause: self)
        }
        return StorageError(code, "\(operation) failed", file: file, cause: self)
    }

    /// The error for a name under which a store must have a file or a directory.
    ///
    /// Anything of another kind there is damage.
    package var neededFileError: StorageError {
        guard isWrongKind else { return storageError }
        return .corruption(
            "something else has the name of a file or directory of the store", file: file, offset: 0, cause: self)
    }
}

extension IOFailure: CustomStringConvertible {
    public var description: String {
        let text = unsafe String(cString: strerror(errorNumber))
        return "\(operation) \(file): \(text) errno=\(errorNumber)"
    }
}
