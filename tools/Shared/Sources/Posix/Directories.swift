/// The size of a directory on disk, as `du` counts it: allocated blocks of the files and directories in it.
public struct DirectorySize: Equatable, Sendable {
    public private(set) var files = 0
    /// The allocated bytes, including preallocated space.
    public private(set) var allocatedBytes: UInt64 = 0
    /// The sum of the files' lengths.
    public private(set) var lengthBytes: UInt64 = 0

    /// Counts `path` and everything below. Files that are removed meanwhile are left out.
    public init(of path: String) throws(SystemCallError) {
        try add(path, isRoot: true)
    }

    private mutating func add(_ path: String, isRoot: Bool = false) throws(SystemCallError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if !isRoot, errno == ENOENT { return }
            throw SystemCallError("lstat", path)
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
public func directoryEntries(of path: String) throws(SystemCallError) -> [String] {
    guard let directory = unsafe opendir(path) else { throw SystemCallError("opendir", path) }
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
public func removeTree(_ path: String) throws(SystemCallError) {
    try removeContent(of: path)
    guard unsafe rmdir(path) == 0 else { throw SystemCallError("rmdir", path) }
}

/// Removes everything in a directory.
public func removeContent(of path: String) throws(SystemCallError) {
    for name in try directoryEntries(of: path) {
        let child = "\(path)/\(name)"
        var status = stat()
        guard unsafe lstat(child, &status) == 0 else { throw SystemCallError("lstat", child) }
        if status.st_mode & S_IFMT == S_IFDIR {
            try removeTree(child)
        } else if unsafe unlink(child) != 0 {
            throw SystemCallError("unlink", child)
        }
    }
}

/// Makes a new directory, mode 0700, in the directory for temporary files. Its name starts with `prefix`.
public func makeTemporaryDirectory(prefix: String) throws(SystemCallError) -> String {
    let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    guard let template = unsafe strdup("\(parent)/\(prefix)-XXXXXX") else { throw SystemCallError("strdup", parent) }
    defer { unsafe free(template) }
    guard unsafe mkdtemp(template) != nil else { throw SystemCallError("mkdtemp", parent) }
    return unsafe String(cString: template)
}
