import Shale
import ShaleEngine
import ShalePlatform
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A store on disk, in a temporary directory that is removed with the fixture; or in memory that lasts as long as the
/// fixture, so that the store can be reopened.
final class StoreFixture {
    let path: String
    let time = ManualTime()
    private let memory: MemoryFileSystem?
    private(set) var options = Store.Options()
    private(set) var store: Store

    /// Makes a store. If `isSmall`, a few hundred entries cause flushes and compactions.
    init(
        isSmall: Bool = false, isInMemory: Bool = false, codecs: [any CustomCodec] = [], largeValueBytes: Int = 0
    ) throws {
        options.codecs = codecs
        options.engine.largeValueBytes = largeValueBytes
        memory = isInMemory ? MemoryFileSystem() : nil
        path = FileManager.default.temporaryDirectory.path + "/shale-store-\(UUID().uuidString)"
        options.engine.time = time
        options.engine.syncInterval = nil
        if isSmall {
            options.engine.memtableBytes = 64 << 10
            options.engine.memoryBudget = 8 << 20
            options.engine.segmentBytes = 64 << 10
            options.engine.upperSegmentBytes = 16 << 10
            options.engine.baseLevelBytes = 64 << 10
        }
        store = try StoreFixture.open(path, options, memory)
    }

    private static func open(_ path: String, _ options: Store.Options, _ memory: MemoryFileSystem?) throws -> Store {
        guard let memory else { return try Store(at: path, options: options) }
        return try Store(at: path, options: options, environment: EngineEnvironment(fileSystem: memory))
    }

    deinit {
        do {
            try store.close()
            guard memory == nil else { return }
            try FileManager.default.removeItem(atPath: path)
        } catch {
            Issue.record("could not remove \(path): \(error)")
        }
    }

    /// A namespace of the common space.
    subscript(name: String) -> Store.Namespace { store.common[name] }

    /// Opens the store once more, read-only. It must be on disk.
    func reader() throws -> Store {
        var options = options
        options.engine.mode = .readOnly
        return try Store(at: path, options: options)
    }

    func reopen(_ change: (inout Store.Options) -> Void = { _ in }) throws {
        try store.close()
        change(&options)
        store = try StoreFixture.open(path, options, memory)
    }

    /// Returns the bytes of the segment files, after the deletion of unused ones.
    func segmentBytes() throws -> Int64 {
        let isLetGo = eventually { store.engine.statistics.heldBytes == 0 }
        try #require(isLetGo)
        let directory = try PosixFileSystem().openDirectory(path, create: false)
            .openDirectory("segments", create: false)
        var sum: Int64 = 0
        for name in try directory.list() {
            do {
                sum += Int64(try directory.sizeOfFile(name))
            } catch {
                // A thread of the engine may have deleted the file meanwhile.
                guard error.isMissing else { throw error }
            }
        }
        return sum
    }

    /// Returns the disk space of all files below the store's directory, as `du` counts it, and the number of files.
    func diskUsage() throws -> (bytes: Int64, files: Int) {
        var usage = (bytes: Int64(0), files: 0)
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            var status = stat()
            // A thread of the engine may have deleted the file meanwhile.
            guard unsafe lstat(path + "/" + name, &status) == 0 else { continue }
            usage.bytes += Int64(status.st_blocks) * 512
            usage.files += 1
        }
        return usage
    }

    /// Returns the disk usage after it has been the same for 300 ms. By then the engine's threads have deleted all
    /// obsolete files.
    func diskUsageAtRest() throws -> (bytes: Int64, files: Int) {
        var usage = try diskUsage()
        var lastChange = ContinuousClock.now
        let isAtRest = try eventually {
            let current = try diskUsage()
            if current != usage || store.engine.statistics.heldBytes != 0 {
                usage = current
                lastChange = ContinuousClock.now
            }
            return ContinuousClock.now - lastChange >= .milliseconds(300)
        }
        try #require(isAtRest)
        return usage
    }

    /// Stores raw bytes, without the envelope of values.
    func plant(
        _ value: [UInt8], forKey key: String, in namespace: String, isPurgeable: Bool = false
    ) throws {
        try self[namespace].set(true, forKey: "made")
        let name: [UInt8] = [1, UInt8(namespace.utf8.count), 0] + Array(namespace.utf8)
        let id = try #require(store.engine.namespace(named: name)).id
        try unsafe store.engine.put(
            value.span.bytes, forKey: Array(key.utf8).span.bytes, in: id, options: PutOptions(isPurgeable: isPurgeable))
    }
}

/// A store, and a directory of the application with files.
final class PathFixture {
    let fixture: StoreFixture
    let root: String
    var store: Store { fixture.store }

    init() throws {
        fixture = try StoreFixture()
        root = FileManager.default.temporaryDirectory.path + "/shale-paths-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: root) } catch { Issue.record("\(root) stays: \(error)") }
    }

    /// Writes a file that changed `age` seconds ago by the store's clock.
    func write(_ path: String, bytes: Int = 4096, age: Double = 0) throws {
        let url = URL(fileURLWithPath: root + "/" + path)
        try FileManager.default.createDirectory(
            atPath: url.deletingLastPathComponent().path, withIntermediateDirectories: true)
        try Data(repeating: 1, count: bytes).write(to: url)
        let now = Double(fixture.time.wallMilliseconds) / 1000
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: now - age)], ofItemAtPath: url.path)
    }

    func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: root + "/" + path) }
}
