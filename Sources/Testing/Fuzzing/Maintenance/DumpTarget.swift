import Shale
import ShaleBase
import ShaleEngine
import ShaleMaintenance
import ShalePlatform
import ShaleSimulation

extension FuzzTarget {
    /// Input: the lines of a dump.
    static let dump = FuzzTarget(
        "dump", "a dump: what is loaded is sound, readable and dumped as the same", seeds: DumpTarget.seeds
    ) { input in
        let disk = SimulatedFileSystem(seed: 1, quota: 256 << 20)
        disk.recordsOperations = false
        do throws(StorageError) {
            try DumpTarget.load(input, into: "/loaded", on: disk)
        } catch {
            try requireTyped(error, [.invalidArgument], namesPosition: false)
            return try require(disk.paths().isEmpty, "a load that failed has left \(disk.paths())")
        }
        let lines = try DumpTarget.dump("/loaded", on: disk)
        try DumpTarget.load(lines, into: "/again", on: disk)
        try require(try DumpTarget.dump("/again", on: disk) == lines, "a dump is another one after a load")
        try DumpTarget.read("/loaded", on: disk)
    }
}

private enum DumpTarget {
    static func load(_ lines: [UInt8], into path: String, on disk: SimulatedFileSystem) throws(StorageError) {
        var rest = lines
        _ = try Maintenance.load(into: path, options: StoreTarget.options, fileSystem: disk) {
            defer { rest = [] }
            return rest
        }
    }

    static func dump(_ path: String, on disk: SimulatedFileSystem) throws(StorageError) -> [UInt8] {
        var lines: [UInt8] = []
        let environment = EngineEnvironment(fileSystem: disk, scheduling: .deferred)
        _ = try Maintenance.dump(storeAt: path, engine: StoreTarget.options, environment: environment) {
            (piece) throws(StorageError) in
            unsafe piece.withUnsafeBytes { unsafe lines.append(contentsOf: $0) }
        }
        return lines
    }

    /// Checks that every loaded value can be read. Exceptions are values that need a key or an application's codec, and
    /// JSON documents for which no decoder has a type.
    static func read(_ path: String, on disk: SimulatedFileSystem) throws {
        var options = Store.Options()
        options.engine = StoreTarget.options
        let store = try Store(
            at: path, options: options, environment: EngineEnvironment(fileSystem: disk, scheduling: .deferred))
        for space in [store.common] + store.userIDs.map({ store.user($0) }) {
            for name in space.namespaceNames { try readAll(space[name]) }
        }
        try require(try store.engine.verify().problems.isEmpty, "what was loaded is damaged")
        try store.close()
    }

    private static func readAll(_ namespace: Store.Namespace) throws {
        for entry in try namespace.entries.array() {
            do throws(StorageError) {
                _ = try entry.object()
            } catch {
                try requireTyped(error, [.cipherMismatch, .newerFormat, .codecFailure], namesPosition: false)
            }
        }
        for name in namespace.childNames { try readAll(namespace.child(name)) }
    }

    static func seeds() throws -> [[UInt8]] {
        let head = "{\"shaleDump\":1,\"nextNamespace\":9}\n"
        let values = [
            "\"c\":2,\"v\":\"t\\u00e4xt\\n\"", "\"c\":4,\"i\":-7", "\"c\":1,\"v64\":\"AAEC\"",
            "\"c\":16,\"v\":\"{\\\"a\\\":[1,null]}\"",
            "\"raw64\":\"AgIKAAEIAAAAAAAAAAB4\"",
            "\"c\":3,\"v64\":\"AQ==\",\"purgeable\":true,\"expires\":99999999999999",
            "\"c\":9,\"v64\":\"AAAAAAAAAAAAAAAAAAAAAA==\"", "\"c\":200,\"v64\":\"AA==\"",
        ]
        let entries = values.enumerated().map { "{\"k\":\"k\($0)\",\($1)}\n" }.joined()
        return [
            "{\"namespace\":1,\"path\":[\"a\"]}\n" + entries + "{\"end\":\(values.count)}\n",
            "{\"namespace\":1,\"user\":\"u\",\"path\":[\"a\",\"b\"],\"options64\":\"AQABAAAAAQ==\"}\n{\"end\":0}\n",
            "{\"namespace\":2,\"name64\":\"/w==\",\"options64\":\"AAA=\"}\n"
                + "{\"k64\":\"/w==\",\"raw64\":\"\"}\n{\"end\":1}\n",
            "{\"end\":0}\n",
        ].map { Array((head + $0).utf8) }
    }
}
