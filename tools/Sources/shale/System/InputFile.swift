/// Opens files named in arguments for reading. A file that another user has put there can neither make the command wait
/// nor make it read something else.
enum InputFile {
    /// Opens a regular file, reached by links or not. Anything else is refused, before opening if possible: opening a
    /// pipe waits for its writer, and opening a device may have effects.
    ///
    /// `/dev/fd/N` and `/dev/stdin` are descriptors that the caller passed to the command, as shells do for `<(…)`.
    /// They are accepted whatever they are.
    static func descriptor(_ path: String) throws -> Int32 {
        if let own = ownDescriptor(path) {
            let copy = fcntl(own, F_DUPFD_CLOEXEC, 3)
            guard copy >= 0 else { throw ToolFailure.system("open", path) }
            return copy
        }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw ToolFailure.system("open", path) }
        try requireRegular(status, path)
        return try openChecked(path, O_RDONLY, ToolFailure.init) { (status) throws(ToolFailure) in
            try requireRegular(status, path)
        }
    }

    /// Opens a regular file of this user, or of root, that is closed to all others and no symbolic link.
    static func privateDescriptor(_ path: String, _ what: String) throws -> Int32 {
        do throws(ToolFailure) {
            return try openChecked(path, O_RDONLY | O_NOFOLLOW, ToolFailure.init) { (status) throws(ToolFailure) in
                guard let problem = status.privateFileProblem else { return }
                throw ToolFailure.key("\(path): the \(what) \(problem.rawValue)")
            }
        } catch {
            guard error.status == .inputOutput else { throw error }
            throw ToolFailure.key("the \(what) can't be opened: \(error.message)")
        }
    }

    private static func requireRegular(_ status: stat, _ path: String) throws(ToolFailure) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFDIR: throw ToolFailure.inputOutput("\(path) is a directory")
        default:
            throw ToolFailure.inputOutput("\(path) is not a regular file: pass the data of a pipe on standard input")
        }
    }

    private static func ownDescriptor(_ path: String) -> Int32? {
        if path == "/dev/stdin" { return STDIN_FILENO }
        for prefix in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(prefix) {
            return Int32(path.dropFirst(prefix.count))
        }
        return nil
    }
}

/// Reads everything from a descriptor. Throws if it is larger than the largest value of a store, which one additional
/// byte reveals.
func readAll(_ descriptor: Int32, named name: String) throws -> [UInt8] {
    let limit = InputLimits.recordBytes
    var bytes: [UInt8] = []
    while bytes.count <= limit,
        try readMore(into: &bytes, upTo: limit + 1 - bytes.count, from: descriptor, named: name)
    {}
    guard bytes.count <= limit else { throw ToolFailure.badInput("\(name) is longer than \(limit) bytes") }
    return bytes
}
