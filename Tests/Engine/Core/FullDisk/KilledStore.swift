import ShaleBase
import ShalePlatform
import ShaleSimulation

@testable import ShaleEngine

/// The disk of a killed process, whose logs hold more than one memtable.
struct KilledStore {
    static let cached = Array("cache".utf8)
    static let kept = Array("kept".utf8)

    let disk: SimulatedFileSystem
    /// The number of entries in the namespace `cache`, all purgeable, and in `kept`.
    let cachedCount: Int
    let keptCount: Int

    /// Makes `entries` of 900 incompressible bytes, of which one in `keptEvery` is kept.
    init(entries: Int = 150, keptEvery: Int = 3) throws {
        let files = SimulatedFileSystem(seed: 1)
        files.recordsOperations = false
        let store = try TestStore(files, scheduling: .deferred)
        let spaces = [try store.namespace("cache"), try store.namespace("kept")]
        let random = SeededRandom(seed: 1)
        var counts = [0, 0]
        for index in 0..<entries {
            let space = index % keptEvery == 0 ? 1 : 0
            counts[space] += 1
            let value = String((0..<900).map { _ in Character(Unicode.Scalar(UInt8(97 + random.below(26)))) })
            try store.put("key\(index)", value, in: spaces[space], options: PutOptions(isPurgeable: space == 0))
        }
        disk = files.crashClone(.processKill)
        disk.recordsOperations = false
        (cachedCount, keptCount) = (counts[0], counts[1])
    }

    /// Fills the disk: no byte is free, and nothing reserved can be released.
    func fill(_ disk: SimulatedFileSystem) {
        for path in disk.paths() where path.contains("/wal/") {
            let bytes = disk.read(path) ?? []
            let end = (bytes.lastIndex { $0 != 0 } ?? -1) + 1
            if end < bytes.count { disk.write(path, Array(bytes[..<end])) }
        }
        disk.setQuota(disk.usedBytes)
    }

    static func open(
        _ disk: SimulatedFileSystem, _ scheduling: EngineEnvironment.Scheduling = .inline
    ) throws(StorageError) -> Engine { try ScriptRun.open(disk, scheduling: scheduling) }

    static func count(_ engine: Engine, _ name: [UInt8]) throws -> Int {
        guard let id = engine.namespace(named: name)?.id else { return -1 }
        return try engine.entries(in: id).count
    }

    /// Writes one entry. Returns the error code, or `nil` on success.
    static func write(_ engine: Engine, _ key: String = "fresh") -> StorageError.Code? {
        guard let id = engine.namespace(named: kept)?.id else { return .namespaceDropped }
        do throws(StorageError) {
            try engine.put([1, 2, 3], forKey: Array(key.utf8), in: id)
            return nil
        } catch {
            return error.code
        }
    }
}

extension SimulatedFileSystem {
    /// The segments, logs and manifests of the store.
    var dataFiles: [String] {
        paths().filter { $0.contains("/wal/") || $0.contains("/segments/") || $0.contains("MANIFEST") }
    }
}
