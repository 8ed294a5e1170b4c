import Shale
import ShaleCluster
import ShalePlatform
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The promises of every ``AsyncNamespace``, against each back end that can run here.
@Suite
struct NamespaceConformanceTests {
    @Test(arguments: Backend.available)
    func valuesOfAllKindsComeBackAsTheyWereSet(_ backend: Backend) async throws { try await ValuesRow.run(backend) }

    @Test(arguments: Backend.available)
    func keysMayHoldAnyBytes(_ backend: Backend) async throws { try await KeyBytesRow.run(backend) }

    @Test(arguments: Backend.available)
    func entriesExpireAtTheirTime(_ backend: Backend) async throws { try await ExpiryRow.run(backend) }

    @Test(arguments: Backend.available)
    func aPurgeRemovesWhatIsPurgeableAndNothingElse(_ backend: Backend) async throws { try await PurgeRow.run(backend) }

    @Test(arguments: Backend.available)
    func aTruncationRemovesEverything(_ backend: Backend) async throws { try await TruncationRow.run(backend) }

    @Test(arguments: Backend.available)
    func changesOfAPartitionAreWrittenTogether(_ backend: Backend) async throws { try await BatchRow.run(backend) }

    @Test(arguments: Backend.available)
    func batchesOverPartitionsWorkOrAreUnsupported(_ backend: Backend) async throws {
        try await WideBatchRow.run(backend)
    }

    @Test(arguments: Backend.available)
    func aValueIsSetOnlyIfTheCurrentOneIsExpected(_ backend: Backend) async throws {
        try await CompareAndSetRow.run(backend)
    }

    @Test(arguments: Backend.available)
    func concurrentUpdatesOfAKeyAllCount(_ backend: Backend) async throws { try await CounterRow.run(backend) }

    @Test(arguments: Backend.available)
    func scansReturnRangesInOrder(_ backend: Backend) async throws { try await ScanRow.run(backend) }

    @Test(arguments: Backend.available)
    func defaultsOfTheNamespaceApplyToItsEntries(_ backend: Backend) async throws { try await DefaultsRow.run(backend) }
}

private enum ValuesRow: ConformanceRow {
    struct Item: Codable, Equatable {
        var name: String
        var count: Int
    }

    static func check(_ namespace: some AsyncNamespace, _ time: ManualTime) async throws {
        try await namespace.set("tea", forKey: "string")
        try await namespace.set(-7, forKey: "int")
        try await namespace.set(1.5, forKey: "double")
        try await namespace.set(Data([0, 1, 255]), forKey: "data")
        try await namespace.set(Item(name: "a", count: 2), forKey: "json")
        try await namespace.set(Item(name: "b", count: 3), forKey: "compact", as: .compact)
        #expect(try await namespace.value(forKey: "string", as: String.self) == "tea")
        #expect(try await namespace.value(forKey: "int", as: Int.self) == -7)
        #expect(try await namespace.value(forKey: "double", as: Double.self) == 1.5)
        #expect(try await namespace.value(forKey: "data", as: Data.self) == Data([0, 1, 255]))
        #expect(try await namespace.value(forKey: "json", as: Item.self) == Item(name: "a", count: 2))
        #expect(try await namespace.value(forKey: "compact", as: Item.self) == Item(name: "b", count: 3))
        #expect(try await namespace.info(forKey: "compact")?.codec == .compact)
        #expect(try await namespace.object(forKey: "int") == .int(-7))
        #expect(try await namespace.value(forKey: "none", as: Int.self) == nil)
        #expect(try await namespace.value(forKey: "none", default: 4) == 4)
        #expect(try await namespace.values(forKeys: ["int", "none", "int"], as: Int.self) == [-7, nil, -7])
        #expect(await code { _ = try await namespace.value(forKey: "string", as: Int.self) } == .typeMismatch)
        try await namespace.set(nil, forKey: "int")
        try await namespace.remove("string")
        #expect(try await !namespace.contains("int"))
        #expect(try await !namespace.contains("string"))
        let payload = try #require(try await namespace.payload(forKey: "json"))
        try await namespace.setPayload(payload.bytes, codec: payload.codec, forKey: "copy")
        #expect(try await namespace.value(forKey: "copy", as: Item.self) == Item(name: "a", count: 2))
    }
}

private enum KeyBytesRow: ConformanceRow {
    static func check(_ namespace: some AsyncNamespace, _ time: ManualTime) async throws {
        var keys: [[UInt8]] = [
            [], [0], [1], [2], [0, 0], [0, 1], [1, 0], [1, 1], [1, 2], [1, 1, 1], [255], [0xc3, 0x28],
        ]
        keys += [Array("é".utf8), Array("e\u{301}".utf8), [UInt8](repeating: 0, count: 16 << 10)]
        for (index, key) in keys.enumerated() { try await namespace.set(index, forKey: key) }
        for (index, key) in keys.enumerated() {
            #expect(try await namespace.value(forKey: key, as: Int.self) == index, "key \(index)")
        }
        var found: [[UInt8]] = []
        for try await entry in namespace.entries { found.append(entry.key.bytes) }
        #expect(found == keys.sorted { $0.lexicographicallyPrecedes($1) })
        let long = [UInt8](repeating: 7, count: (16 << 10) + 1)
        #expect(await code { try await namespace.set(1, forKey: long) } == .invalidArgument)
    }
}

private enum ExpiryRow: ConformanceRow {
    static func check(_ namespace: some AsyncNamespace, _ time: ManualTime) async throws {
        try await namespace.set(1, forKey: "short", options: .expires(after: .seconds(10)))
        try await namespace.set(2, forKey: "long", options: .expires(after: .seconds(20)))
        try await namespace.set(3, forKey: "always")
        time.advance(milliseconds: 9_999)
        #expect(try await namespace.value(forKey: "short", as: Int.self) == 1)
        time.advance(milliseconds: 1)
        #expect(try await namespace.value(forKey: "short", as: Int.self) == nil)
        #expect(try await namespace.keys() == ["always", "long"])
        try await namespace.set(4, forKey: "short")
        time.advance(milliseconds: 10_000)
        #expect(try await namespace.keys() == ["always", "short"])
    }
}

private enum PurgeRow: ConformanceRow {
    static func check(_ namespace: some AsyncNamespace, _ time: ManualTime) async throws {
        for index in 0..<20 { try await namespace.set(index, forKey: "p\(index)", options: .purgeable) }
        try await namespace.set(1, forKey: "kept")
        try await namespace.set(1, forKey: "p3")
        try await namespace.purgeNow()
        #expect(try await namespace.keys() == ["kept", "p3"])
        #expect(try await namespace.value(forKey: "p5", as: Int.self) == nil)
        try await namespace.set(6, forKey: "p6", options: .purgeable)
        #expect(try await namespace.value(forKey: "p6", as: Int.self) == 6)
        #expect(try await namespace.info(forKey: "p6")?.isPurgeable == true)
        try await namespace.remove("p3")
        #expect(try await namespace.keys() == ["kept", "p6"])
    }
}

private enum TruncationRow: ConformanceRow {
    static func check(_ namespace: some AsyncNamespace, _ time: ManualTime) async throws {
        for index in 0..<20 { try await namespace.set(index, forKey: "k\(index)") }
        try await namespace.truncate()
        #expect(try await namespace.keys().isEmpty)
        try await namespace.set(1, forKey: "k1")
        #expect(try await namespace.keys() == ["k1"])
    }
}

private enum BatchRow: ConformanceRow {
    static func check(_ namespace: some AsyncNamespace, _ time: ManualTime) async throws {
        try await namespace.set(0, forKey: "u/old")
        try await namespace.write { (changes) throws(StorageError) in
            for index in 0..<100 { try changes.set(index, forKey: "u/\(index)") }
            try changes.remove("u/old")
            try changes.set(7, forKey: "u/50")
            try changes.set(1, forKey: "u/gone")
            try changes.remove("u/gone")
        }
        #expect(try await namespace.keys().count == 100)
        #expect(try await namespace.value(forKey: "u/50", as: Int.self) == 7)
        await #expect(throws: StorageError.self) {
            try await namespace.write { (changes) throws(StorageError) in
                try changes.set(9, forKey: "u/1")
                try changes.set(9, forKey: "u/" + String(repeating: "x", count: 20_000))
            }
        }
        #expect(try await namespace.value(forKey: "u/1", as: Int.self) == 1)
    }
}

private enum WideBatchRow: ConformanceRow {
    static func check(_ namespace: some AsyncNamespace, _ time: ManualTime) async throws {
        func write() async throws(StorageError) {
            try await namespace.write { (changes) throws(StorageError) in
                for index in 0..<10 { try changes.set(index, forKey: "u\(index)/a") }
            }
        }
        if namespace.capabilities.contains(.batchesAcrossPartitions) {
            try await write()
            #expect(try await namespace.keys().count == 10)
        } else {
            #expect(await code { try await write() } == .unsupported)
            #expect(try await namespace.keys().isEmpty)
        }
    }
}

private enum CompareAndSetRow: ConformanceRow {
    static func check(_ namespace: some AsyncNamespace, _ time: ManualTime) async throws {
        #expect(try await namespace.compareAndSet(1, forKey: "a", expecting: nil))
        #expect(try await !namespace.compareAndSet(2, forKey: "a", expecting: nil))
        #expect(try await !namespace.compareAndSet(2, forKey: "a", expecting: 5))
        #expect(try await namespace.compareAndSet(2, forKey: "a", expecting: 1))
        #expect(try await namespace.value(forKey: "a", as: Int.self) == 2)
        #expect(try await namespace.compareAndSet(nil, forKey: "a", expecting: 2))
        #expect(try await !namespace.contains("a"))
        // An entry that a purge has erased, or that has expired, counts as missing.
        try await namespace.set(1, forKey: "p", options: .purgeable)
        try await namespace.set(1, forKey: "e", options: .expires(after: .seconds(1)))
        try await namespace.purgeNow()
        time.advance(milliseconds: 1000)
        #expect(try await namespace.compareAndSet(2, forKey: "p", expecting: nil))
        #expect(try await namespace.compareAndSet(2, forKey: "e", expecting: nil))
        #expect(try await namespace.values(forKeys: ["p", "e"], as: Int.self) == [2, 2])
    }
}

private enum CounterRow: ConformanceRow {
    static func check(_ namespace: some AsyncNamespace, _ time: ManualTime) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10 {
                        _ = try await namespace.update(forKey: "n") { (entry) throws(StorageError) -> EntryUpdate in
                            try .set((try entry?.value(as: Int.self) ?? 0) + 1)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await namespace.value(forKey: "n", as: Int.self) == 80)
    }
}

private enum ScanRow: ConformanceRow {
    static func check(_ namespace: some AsyncNamespace, _ time: ManualTime) async throws {
        let names = (0..<700).map { "k\($0 % 7)/" + String(repeating: "0", count: 3 - String($0).count) + String($0) }
        for partition in 0..<7 {
            try await namespace.write { (changes) throws(StorageError) in
                for name in names where name.hasPrefix("k\(partition)/") { try changes.set(name, forKey: name) }
            }
        }
        let all = names.sorted()
        #expect(try await namespace.keys() == all)
        #expect(try await namespace.keys(prefix: "k3/") == all.filter { $0.hasPrefix("k3/") })
        #expect(try await namespace.keys(prefix: "k") == all)
        #expect(try await namespace.keys(in: "k2/"..<"k4/0") == all.filter { $0 >= "k2/" && $0 < "k4/0" })
        #expect(try await namespace.keys(in: all[10]...all[20]) == Array(all[10...20]))
        #expect(try await namespace.keys(in: all[690]...) == Array(all[690...]))
        #expect(try await namespace.keys(in: ...all[3]) == Array(all[...3]))
        #expect(try await namespace.keys(prefix: "x").isEmpty)
    }
}

private enum DefaultsRow: ConformanceRow {
    static var layout: ClusterLayout { ClusterLayout(shards: 2, isPurgeable: true, timeToLive: .seconds(5)) }

    static func check(_ namespace: some AsyncNamespace, _ time: ManualTime) async throws {
        try await namespace.set(1, forKey: "plain")
        try await namespace.set(2, forKey: "kept", options: [.notPurgeable, .neverExpires])
        #expect(try await namespace.info(forKey: "plain")?.isPurgeable == true)
        try await namespace.purgeNow()
        #expect(try await namespace.keys() == ["kept"])
        try await namespace.set(3, forKey: "again")
        time.advance(milliseconds: 5_000)
        #expect(try await namespace.keys() == ["kept"])
    }
}

extension AsyncNamespace {
    /// The keys in a range as texts, in the order of the scan.
    fileprivate func keys(in range: some KeyInterval = KeyRange.all) async throws -> [String] {
        var keys: [String] = []
        for try await entry in entries(in: range) { keys.append(entry.key.string ?? "?") }
        return keys
    }

    fileprivate func keys(prefix: String) async throws -> [String] {
        var keys: [String] = []
        for try await entry in entries(prefix: prefix) { keys.append(entry.key.string ?? "?") }
        return keys
    }
}
