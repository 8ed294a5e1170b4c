import Posix

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A control group of Linux that limits the memory of the processes in it, page cache included.
struct MemoryGroup {
    let path: String

    /// Makes a group. Throws if the kernel or the rights of the process do not allow it.
    init(bytes: Int) throws {
        let name = "shale-bench.\(ProcessInfo.processInfo.processIdentifier)"
        // Version 1 of control groups has a hierarchy for each resource.
        let first = "/sys/fs/cgroup/memory"
        let isFirst = FileManager.default.fileExists(atPath: first + "/cgroup.procs")
        path = (isFirst ? first : "/sys/fs/cgroup") + "/" + name
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        do {
            try MemoryGroup.write("\(bytes)", to: path + (isFirst ? "/memory.limit_in_bytes" : "/memory.max"))
        } catch {
            try remove()
            throw error
        }
    }

    /// Moves this process into the group at `path`, for the rest of its life.
    static func enter(_ path: String) throws { try write("0", to: path + "/cgroup.procs") }

    /// Removes the group, whose processes have ended.
    func remove() throws { guard unsafe rmdir(path) == 0 else { throw SystemCallError("rmdir", path) } }

    private static func write(_ text: String, to path: String) throws {
        let file = unsafe open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw SystemCallError("open", path) }
        defer { close(file) }
        try writeFully(Array(text.utf8), to: file, named: path)
    }
}
