import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

@testable import ShaleMaintenance

/// A repair does not bring back entries that a lost part may have hidden.
@Suite struct RevivalTests {
    private let time = ManualTime()
    private let files = SimulatedFileSystem(seed: 3)

    /// Makes a store with `old` values in the last level and with the effects of `change` above.
    private func makeStore(_ change: (Engine, NamespaceID) throws -> Void) throws {
        let engine = try StoreScript.open(files, time)
        let namespace = try engine.createNamespace(named: Array("n".utf8))
        for number in 0..<100 { try put("old", number, engine, namespace) }
        try engine.compact()
        try change(engine, namespace)
        try engine.close()
    }

    private func put(_ value: String, _ number: Int, _ engine: Engine, _ namespace: NamespaceID) throws {
        try unsafe engine.put(
            Array(value.utf8).span.bytes, forKey: Array("key \(100 + number)".utf8).span.bytes, in: namespace)
    }

    private func repair(keepsUncertain: Bool = false, into target: String = "/new") throws -> RepairReport {
        var options = RepairOptions()
        options.keepsUncertain = keepsUncertain
        return try Maintenance.repair(
            storeAt: StoreScript.path, into: target, options: options, engine: StoreScript.options(time),
            fileSystem: files)
    }

    private func entries(_ target: String = "/new", _ namespace: [UInt8] = Array("n".utf8)) throws -> [String: String] {
        let content = try PopulatedStore.content(of: files, at: target, time)[namespace] ?? [:]
        return Dictionary(
            uniqueKeysWithValues: content.map {
                (String(decoding: $0, as: UTF8.self), String(decoding: $1, as: UTF8.self))
            })
    }

    /// The segment that was written last.
    private var newestSegment: String {
        get throws { try #require(files.paths().last { $0.hasSuffix(".seg") }) }
    }

    @Test func aDeletionThatIsLostDoesNotBringTheValueBack() throws {
        try makeStore { engine, namespace in
            try unsafe engine.delete(Array("key 150".utf8).span.bytes, in: namespace)
            try put("new", 152, engine, namespace)
            try engine.flush()
        }
        files.remove(try newestSegment)
        let report = try repair()
        let entries = try entries()
        // Without the filter, any key between the first and the last key of the segment may have been in the segment.
        #expect(entries["key 149"] == "old" && entries["key 150"] == nil && entries["key 151"] == nil)
        #expect(report.losses.count == 1)
        #expect(report.losses[0].keys?.firstKey == Array("key 150".utf8))
        #expect(report.losses[0].entries == 2 && report.losses[0].doubtedEntries == report.withheldEntries)
        #expect(try repair(keepsUncertain: true, into: "/all").uncertainEntries == report.withheldEntries)
        #expect(try self.entries("/all")["key 150"] == "old")
    }

    @Test func theFilterOfADamagedSegmentClearsKeysThatWereNeverInIt() throws {
        try makeStore { engine, namespace in
            try put("new", 20, engine, namespace)
            try put("new", 80, engine, namespace)
            try engine.flush()
        }
        files.corrupt(try newestSegment, at: 20, xor: 1)
        let report = try repair()
        let entries = try entries()
        #expect(entries["key 120"] == nil && entries["key 180"] == nil)
        #expect(entries.count >= 95 && entries["key 119"] == "old")
        #expect(report.losses.first?.offset == 0)
    }

    @Test func withoutAManifestNothingIsCertain() throws {
        try makeStore { engine, namespace in try engine.purge([namespace]) }
        for path in files.paths() where path.contains("MANIFEST") { files.remove(path) }
        let report = try repair()
        #expect(!report.hasManifest && report.placedEntries == 0 && report.withheldEntries == 100)
        #expect(try repair(keepsUncertain: true, into: "/all").uncertainEntries == 100)
        let name: [UInt8] = [1, 10, 0] + Array("lost+found".utf8) + [1, 0] + Array("1".utf8)
        #expect(try entries("/all", name)["key 105"] == "old")
    }

    @Test func entriesOlderThanALostPartOfALogAreInDoubt() throws {
        let engine = try StoreScript.open(files, time)
        let namespace = try engine.createNamespace(named: Array("n".utf8))
        for number in 0..<10 { try put("old", number, engine, namespace) }
        try engine.sync()
        try put("new", 3, engine, namespace)
        try engine.sync()
        try put("new", 4, engine, namespace)
        let damaged = files.crashClone(.processKill)
        let log = try #require(damaged.paths().first { $0.hasSuffix(".wal") })
        damaged.corrupt(log, at: 70, xor: 1)
        var options = RepairOptions()
        let report = try Maintenance.repair(
            storeAt: StoreScript.path, into: "/new", options: options, engine: StoreScript.options(time),
            fileSystem: damaged)
        #expect(report.placedEntries == 0 && report.losses.map(\.offset) == [64])
        options.keepsUncertain = true
        _ = try Maintenance.repair(
            storeAt: StoreScript.path, into: "/all", options: options, engine: StoreScript.options(time),
            fileSystem: damaged)
        try engine.close()
    }

    @Test func aDirectoryThatHoldsSomethingIsNotMadeAStore() throws {
        try makeStore { _, _ in }
        files.write("/new/letter", [1])
        #expect(throws: StorageError.self) { try repair() }
        #expect(files.paths().filter { $0.hasPrefix("/new/") } == ["/new/letter"])
    }
}
