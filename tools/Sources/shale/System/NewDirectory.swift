import ShaleEngine

/// A directory in which a command makes something, restored to its previous state if the command fails.
struct NewDirectory {
    private enum Before { case absent, empty, filled }

    private let path: String
    private let before: Before

    /// Records the state of `path` before anything is made there.
    init(_ path: String) {
        self.path = path
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            // If the path can't be examined for another reason, there is nothing to clean up.
            before = errno == ENOENT ? .absent : .filled
            return
        }
        guard status.st_mode & S_IFMT == S_IFDIR, let names = try? directoryEntries(of: path) else {
            before = .filled
            return
        }
        before = names.isEmpty ? .empty : .filled
    }

    /// Removes what was made since, after a failure. A directory that contained something before, has become a store,
    /// or is locked by another process is left alone.
    func restore(after failure: StorageError) throws {
        var status = stat()
        guard before != .filled, failure.code != .locked, unsafe lstat("\(path)/CURRENT", &status) != 0,
            unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR
        else { return }
        if before == .absent { return try removeTree(path) }
        try removeContent(of: path)
    }
}
