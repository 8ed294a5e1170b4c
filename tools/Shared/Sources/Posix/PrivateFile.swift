/// Opens a file without waiting for anything, and closes it again if `check` refuses it. Reads of a regular file never
/// wait either.
///
/// - Throws: The error of `check`, or what `failure` makes of the error of a system call.
public func openChecked<Failure: Error>(
    _ path: String, _ flags: Int32, _ failure: (SystemCallError) -> Failure,
    _ check: (stat) throws(Failure) -> Void
) throws(Failure) -> Int32 {
    let descriptor = unsafe open(path, flags | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw failure(SystemCallError("open", path)) }
    do throws(Failure) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure(SystemCallError("fstat", path)) }
        try check(status)
        return descriptor
    } catch {
        _ = close(descriptor)
        throw error
    }
}

/// The reason why a file must not be used for secrets, as the end of a sentence about it.
public enum PrivateFileProblem: String, Sendable {
    case notRegular = "is not a regular file"
    case foreign = "belongs to another user"
    case accessible = "is accessible to other users: set its mode to 0600"
}

extension stat {
    /// `nil` for a regular file of this user, or of root, that is closed to all others.
    public var privateFileProblem: PrivateFileProblem? {
        guard st_mode & S_IFMT == S_IFREG else { return .notRegular }
        guard st_uid == geteuid() || st_uid == 0 else { return .foreign }
        return st_mode & (S_IRWXG | S_IRWXO) == 0 ? nil : .accessible
    }
}
