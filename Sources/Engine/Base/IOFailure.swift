#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A system call that failed: which one, on which file, with which `errno`.
public struct IOFailure: Error, Sendable, Equatable {
    public let operation: String
    public let file: String
    public let errorNumber: Int32

    public init(_ operation: String, _ file: String, _ errorNumber: Int32) {
        self.operation = operation
        self.file = file
        self.errorNumber = errorNumber
    }

    /// No space, quota or file size limit: all are answered in the same way.
    public var isOutOfSpace: Bool { errorNumber == ENOSPC || errorNumber == EDQUOT || errorNumber == EFBIG }

    /// The process, or the machine, has no descriptor left.
    public var isOutOfDescriptors: Bool { errorNumber == EMFILE || errorNumber == ENFILE }

    /// The file exists but may not be opened now.
    public var isPermission: Bool { errorNumber == EACCES || errorNumber == EPERM }

    /// Somebody else holds a lock.
    public var isWouldBlock: Bool { errorNumber == EWOULDBLOCK || errorNumber == EAGAIN }

    public var isMissing: Bool { errorNumber == ENOENT }

    /// The medium did not deliver, or take, what it was asked to.
    public var isMediumError: Bool { errorNumber == EIO }

    /// Nobody can write there.
    public var isReadOnlyMedium: Bool { errorNumber == EROFS }

    /// Two places, or a file system, that hard links can't connect.
    public var isUnlinkable: Bool {
        errorNumber == EXDEV || errorNumber == EMLINK || errorNumber == EPERM || errorNumber == EOPNOTSUPP
    }

    /// A directory that was to be removed still holds something.
    public var isNotEmpty: Bool { errorNumber == ENOTEMPTY || errorNumber == EEXIST }

    /// The failure of a call that needs space on a full disk.
    package static func outOfSpace(_ operation: String, _ file: String) -> IOFailure {
        IOFailure(operation, file, ENOSPC)
    }

    /// Something else than the file, or the directory, that was expected lies under the name. No link is followed.
    public var isWrongKind: Bool { errorNumber == EISDIR || errorNumber == ENOTDIR || errorNumber == ELOOP }

    /// The file of a lock that is held is no longer found under its name.
    package var isLostLock: Bool { errorNumber == ESTALE && operation == "lock" }

    /// The error that the engine's callers see.
    package var storageError: StorageError {
        let code: StorageError.Code =
            isOutOfSpace ? .noSpace : isPermission ? .locked : isMissing ? .missing : .ioFailure
        guard !isLostLock else {
            return StorageError(
                .locked, "the file was removed, renamed or replaced while the store was open: another may hold it",
                file: file, cause: self)
        }
        return StorageError(code, "\(operation) failed", file: file, cause: self)
    }

    /// The same for a name under which a store must have a file or a directory: anything of another kind there is damage.
    package var neededFileError: StorageError {
        guard isWrongKind else { return storageError }
        return .corruption("no file, or directory, of a store lies here", file: file, offset: 0, cause: self)
    }
}

extension IOFailure: CustomStringConvertible {
    public var description: String {
        let text = unsafe String(cString: strerror(errorNumber))
        return "\(operation) \(file): \(text) errno=\(errorNumber)"
    }
}
