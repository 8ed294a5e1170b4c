import ShaleBase
import ShalePlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A directory of read-only files in memory: the minimum that a file parser needs, without slow calls.
final class ReadOnlyDirectory: Directory {
    private let files: [String: [UInt8]]

    init(_ files: [String: [UInt8]]) { self.files = files }

    var path: String { "fuzz" }
    var identity: FileIdentity { FileIdentity(device: 0, inode: 0) }

    func open(_ name: String) throws(IOFailure) -> any ReadableFile {
        guard let content = files[name] else { throw IOFailure("open", name, ENOENT) }
        return ReadOnlyFile(name, content)
    }

    func exists(_ name: String) -> Bool { files[name] != nil }
    func list() -> [String] { files.keys.sorted() }
    func create(_ name: String) throws(IOFailure) -> any WritableFile { throw refusal("create", name) }
    func reopen(_ name: String) throws(IOFailure) -> any WritableFile { throw refusal("open", name) }
    func openDirectory(_ name: String, create: Bool) throws(IOFailure) -> any Directory { throw refusal("open", name) }
    func rename(_ name: String, to newName: String, in target: any Directory) throws(IOFailure) {
        throw refusal("rename", name)
    }
    func link(_ name: String, to newName: String, in target: any Directory) throws(IOFailure) {
        throw refusal("link", name)
    }
    var durabilityIsReduced: Bool { false }
    var isOpenToOthers: Bool { false }
    var isPrivate: Bool { true }
    func remove(_ name: String) throws(IOFailure) { throw refusal("remove", name) }
    func removeInSteps(_ name: String) throws(IOFailure) { throw refusal("remove", name) }
    func removeAndCut(_ name: String) throws(IOFailure) { throw refusal("remove", name) }
    func removeDirectory(_ name: String) throws(IOFailure) { throw refusal("remove", name) }
    func sync() {}
    func lock(_ name: String) throws(IOFailure) -> any FileLock { throw refusal("lock", name) }
    func openHolds(_ name: String) throws(IOFailure) -> any FileHolds { throw refusal("open", name) }
    func freeBytes() -> UInt64 { 0 }

    private func refusal(_ operation: String, _ name: String) -> IOFailure { IOFailure(operation, name, EROFS) }
}

final class ReadOnlyFile: ReadableFile {
    let name: String
    private let content: [UInt8]

    init(_ name: String, _ content: [UInt8]) {
        self.name = name
        self.content = content
    }

    func size() -> UInt64 { UInt64(content.count) }

    func read(into target: MutableBytes, at offset: UInt64) -> Int {
        guard offset < UInt64(content.count) else { return 0 }
        let count = min(target.count, content.count - Int(offset))
        content.withBytes { target.copy($0.slice(Int(offset), count), at: 0) }
        return count
    }

    func adviseSequential(offset: UInt64, count: UInt64) {}
    func close() {}
}
