import ShaleBase
import ShalePlatform

/// A minimal disk for logs: files are arrays, and a chosen call can fail.
final class MemoryDirectory: Directory {
    struct State {
        var files: [String: [UInt8]] = [:]
        var writes: [(offset: UInt64, count: Int)] = []
        var syncCount = 0
        /// The operations that fail, with the number of calls that succeed before.
        var failures: [String: (after: Int, errorNumber: Int32)] = [:]
    }

    let state = Locked(State())

    var path: String { "wal" }
    var identity: FileIdentity { FileIdentity(device: 1, inode: 1) }

    var writes: [(offset: UInt64, count: Int)] { state.withLock { $0.writes } }
    var syncCount: Int { state.withLock { $0.syncCount } }

    func content(_ name: String) -> [UInt8] { state.withLock { $0.files[name] ?? [] } }
    func put(_ name: String, _ content: [UInt8]) { state.withLock { $0.files[name] = content } }

    func fail(_ operation: String, after: Int = 0, _ errorNumber: Int32 = 5) {
        state.withLock { $0.failures[operation] = (after, errorNumber) }
    }

    func heal() { state.withLock { $0.failures = [:] } }

    func check(_ operation: String, _ name: String) throws(IOFailure) {
        let errorNumber: Int32? = state.withLock { state in
            guard let rule = state.failures[operation] else { return nil }
            guard rule.after == 0 else {
                state.failures[operation]?.after -= 1
                return nil
            }
            return rule.errorNumber
        }
        if let errorNumber { throw IOFailure(operation, name, errorNumber) }
    }

    func create(_ name: String) throws(IOFailure) -> any WritableFile {
        try check("create", name)
        put(name, [])
        return MemoryFile(self, name)
    }

    func open(_ name: String) throws(IOFailure) -> any ReadableFile { MemoryReadableFile(self, name) }

    func reopen(_ name: String) throws(IOFailure) -> any WritableFile { MemoryFile(self, name) }

    private var unsupported: IOFailure { IOFailure("unsupported", path, 38) }

    func openDirectory(_ name: String, create: Bool) throws(IOFailure) -> any Directory { throw unsupported }
    func exists(_ name: String) throws(IOFailure) -> Bool { state.withLock { $0.files[name] != nil } }
    func list() throws(IOFailure) -> [String] { state.withLock { $0.files.keys.sorted() } }
    func rename(_ name: String, to newName: String, in target: any Directory) throws(IOFailure) { throw unsupported }
    func link(_ name: String, to newName: String, in target: any Directory) throws(IOFailure) { throw unsupported }
    var durabilityIsReduced: Bool { false }
    var isOpenToOthers: Bool { false }
    var isPrivate: Bool { true }
    func remove(_ name: String) throws(IOFailure) { throw unsupported }
    func removeInSteps(_ name: String) throws(IOFailure) { throw unsupported }
    func removeAndCut(_ name: String) throws(IOFailure) { throw unsupported }
    func removeDirectory(_ name: String) throws(IOFailure) { throw unsupported }
    func sync() throws(IOFailure) {}
    func lock(_ name: String) throws(IOFailure) -> any FileLock { throw unsupported }
    func openHolds(_ name: String) throws(IOFailure) -> any FileHolds { throw unsupported }
    func freeBytes() throws(IOFailure) -> UInt64 { 0 }
}

final class MemoryFile: WritableFile {
    private let directory: MemoryDirectory
    let name: String

    init(_ directory: MemoryDirectory, _ name: String) {
        self.directory = directory
        self.name = name
    }

    private func update(_ change: (inout [UInt8]) -> Void) {
        directory.state.withLock { change(&$0.files[name, default: []]) }
    }

    func write(_ bytes: Bytes, at offset: UInt64) throws(IOFailure) {
        try directory.check("write", name)
        directory.state.withLock { $0.writes.append((offset, bytes.count)) }
        let content = bytes.array()
        update { file in
            let end = Int(offset) + content.count
            if file.count < end { file += [UInt8](repeating: 0, count: end - file.count) }
            file.replaceSubrange(Int(offset)..<end, with: content)
        }
    }

    func preallocate(_ size: UInt64) throws(IOFailure) {
        try directory.check("preallocate", name)
        update { file in
            if file.count < Int(size) { file += [UInt8](repeating: 0, count: Int(size) - file.count) }
        }
    }

    func truncate(to size: UInt64) throws(IOFailure) {
        try directory.check("truncate", name)
        update { $0.removeLast($0.count - Int(size)) }
    }

    func sync() throws(IOFailure) {
        directory.state.withLock { $0.syncCount += 1 }
        try directory.check("sync", name)
    }

    func close() throws(IOFailure) { try directory.check("close", name) }
}

final class MemoryReadableFile: ReadableFile {
    private let directory: MemoryDirectory
    let name: String

    init(_ directory: MemoryDirectory, _ name: String) {
        self.directory = directory
        self.name = name
    }

    func size() throws(IOFailure) -> UInt64 { UInt64(directory.content(name).count) }

    func read(into target: MutableBytes, at offset: UInt64) throws(IOFailure) -> Int {
        try directory.check("read", name)
        return directory.state.withLock { state in
            guard let file = state.files[name], Int(offset) < file.count else { return 0 }
            let count = min(target.count, file.count - Int(offset))
            unsafe file.withUnsafeBytes { content in
                let range = Int(offset)..<Int(offset) + count
                unsafe target.copy(Bytes(UnsafeRawBufferPointer(rebasing: content[range])), at: 0)
            }
            return count
        }
    }

    func adviseSequential(offset: UInt64, count: UInt64) {}
    func close() {}
}
