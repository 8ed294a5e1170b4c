/// The size of a directory on disk, as `du` counts it: allocated blocks of the files and directories in it.
struct DirectorySize: Equatable {
    var files = 0
    /// The allocated bytes, including preallocated space.
    var allocatedBytes: UInt64 = 0
    /// The sum of the files' lengths.
    var lengthBytes: UInt64 = 0

    /// Counts `path` and everything below. Files that are removed meanwhile are left out.
    init(of path: String) throws {
        try add(path, isRoot: true)
    }

    private mutating func add(_ path: String, isRoot: Bool = false) throws {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if !isRoot, errno == ENOENT { return }
            throw ToolFailure.system("lstat", path)
        }
        allocatedBytes += UInt64(status.st_blocks) * 512
        guard status.st_mode & S_IFMT == S_IFDIR else {
            files += 1
            lengthBytes += UInt64(status.st_size)
            return
        }
        for name in try directoryEntries(of: path) { try add("\(path)/\(name)") }
    }
}

/// Returns the names in a directory, except `.` and `..`.
func directoryEntries(of path: String) throws -> [String] {
    guard let directory = unsafe opendir(path) else { throw ToolFailure.system("opendir", path) }
    defer { unsafe _ = closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
        let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
            unsafe $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX)) { unsafe String(cString: $0) }
        }
        if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
}

/// Removes a directory with everything in it.
func removeTree(_ path: String) throws {
    for name in try directoryEntries(of: path) {
        let child = "\(path)/\(name)"
        var status = stat()
        guard unsafe lstat(child, &status) == 0 else { throw ToolFailure.system("lstat", child) }
        if status.st_mode & S_IFMT == S_IFDIR {
            try removeTree(child)
        } else if unsafe unlink(child) != 0 {
            throw ToolFailure.system("unlink", child)
        }
    }
    guard unsafe rmdir(path) == 0 else { throw ToolFailure.system("rmdir", path) }
}
