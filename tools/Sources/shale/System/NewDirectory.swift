import ShaleEngine

/// A directory that a command makes something in, and that is as before when the command fails.
struct NewDirectory {
    private enum Before { case absent, empty, filled }

    private let path: String
    private let before: Before

    /// Notes what is at `path`, before anything is made there.
    init(_ path: String) {
        self.path = path
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            // What can't be looked at for another reason is nothing to clean.
            before = errno == ENOENT ? .absent : .filled
            return
        }
        guard status.st_mode & S_IFMT == S_IFDIR, let names = try? directoryEntries(of: path) else {
            before = .filled
            return
        }
        before = names.isEmpty ? .empty : .filled
    }

    /// Removes what was made since, after a failure. A directory that held something before, that became a store, or
    /// whose lock somebody else has is left alone.
    func restore(after failure: StorageError) throws {
        var status = stat()
        guard before != .filled, failure.code != .locked, unsafe lstat("\(path)/CURRENT", &status) != 0,
            unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR
        else { return }
        if before == .absent { return try removeTree(path) }
        for name in try directoryEntries(of: path) {
            let child = "\(path)/\(name)"
            guard unsafe lstat(child, &status) == 0 else { throw ToolFailure.system("lstat", child) }
            if status.st_mode & S_IFMT == S_IFDIR {
                try removeTree(child)
            } else if unsafe unlink(child) != 0 {
                throw ToolFailure.system("unlink", child)
            }
        }
    }
}
