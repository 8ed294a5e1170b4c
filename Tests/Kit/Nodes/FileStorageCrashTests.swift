import ShaleNodes
import ShaleSimulation
import Testing

/// A crash at any call of a write to files.
@Suite struct FileStorageCrashTests {
    private static let long = String(repeating: "X", count: 300)

    private static func writes(_ files: SimulatedFileSystem) throws -> NumberedWrites<FileStorage> {
        let root = try FileStorage(at: "/tree", files)
        let child = root.child(named: "a")
        return NumberedWrites([root, child, child.child(named: long)], keys: ["k", long])
    }

    @Test func noWriteIsHalf() throws {
        let files = SimulatedFileSystem(seed: 7)
        let crashes = try Self.writes(files).crashes(files)
        #expect(crashes.count > 200)
        #expect(crashes.failures { try Self.verify($0) } == [])
    }

    private static func verify(_ crash: RecordedCrash<Int>) throws {
        let writes = try writes(crash.files)
        try writes.expectOldOrNew(after: crash)
        let root = writes.storages[0]
        try root.set(100, forKey: "k")
        try root.clearHierarchy()
        for storage in writes.storages { #expect(try storage.keys() == []) }
    }
}
