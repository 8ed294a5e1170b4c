import ShaleBase
import ShalePlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file that discards all writes, for measuring the work before the system call.
final class NullFile: WritableFile {
    let name: String

    init(_ name: String) { self.name = name }

    func write(_ bytes: Bytes, at offset: UInt64) {}
    func preallocate(_ size: UInt64) {}
    func truncate(to size: UInt64) {}
    func sync() {}
    func close() {}
}

/// A directory of ``NullFile``s, which can't be reopened.
final class NullDirectory: Directory {
    var path: String { "null" }
    var identity: FileIdentity { FileIdentity(device: 0, inode: 0) }

    func create(_ name: String) -> any WritableFile { NullFile(name) }
    func open(_ name: String) throws(IOFailure) -> any ReadableFile { throw absent("open", name) }
    func reopen(_ name: String) throws(IOFailure) -> any WritableFile { throw absent("open", name) }
    func openDirectory(_ name: String, create: Bool) throws(IOFailure) -> any Directory { throw absent("open", name) }
    func exists(_ name: String) -> Bool { false }
    func list() -> [String] { [] }
    func rename(_ name: String, to newName: String, in target: any Directory) throws(IOFailure) {
        throw absent("rename", name)
    }
    func link(_ name: String, to newName: String, in target: any Directory) throws(IOFailure) {
        throw absent("link", name)
    }
    var durabilityIsReduced: Bool { false }
    var isOpenToOthers: Bool { false }
    func remove(_ name: String) {}
    func removeInSteps(_ name: String) {}
    func removeDirectory(_ name: String) throws(IOFailure) { throw absent("remove", name) }
    func sync() {}
    func lock(_ name: String) throws(IOFailure) -> any FileLock { throw absent("lock", name) }
    func freeBytes() -> UInt64 { .max }

    private func absent(_ operation: String, _ name: String) -> IOFailure { IOFailure(operation, name, ENOENT) }
}
