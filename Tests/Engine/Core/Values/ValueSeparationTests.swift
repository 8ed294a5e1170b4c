import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

/// Values above the threshold are in value files, and read like any other value.
@Suite struct ValueSeparationTests {
    private func makeStore(_ change: (inout Engine.Options) -> Void = { _ in }) throws -> TestStore {
        try TestStore {
            $0.largeValueBytes = 100
            change(&$0)
        }
    }

    private static func value(_ seed: Int, _ length: Int = 1000) -> String {
        String(repeating: String(UnicodeScalar(UInt8(97 + seed % 26))), count: length) + "\(seed)"
    }

    @Test func aLargeValueIsReadFromMemtableAndSegment() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        try store.put("small", "x", in: a)
        try store.put("large", Self.value(1), in: a)
        for _ in 0..<2 {
            #expect(try store.get("small", in: a) == "x")
            #expect(try store.get("large", in: a) == Self.value(1))
            #expect(try store.scan(a) == ["large=\(Self.value(1))", "small=x"])
            #expect(try store.scan(a, order: .reversed) == ["small=x", "large=\(Self.value(1))"])
            try store.engine.flush()
        }
        #expect(store.engine.statistics.usedValueBytes == 1001 + 24)
        try store.engine.compact()
        try store.reopen()
        #expect(try store.get("large", in: a) == Self.value(1))
        #expect(try store.engine.verify().problems.isEmpty)
    }

    @Test func theThresholdIsTheFirstLengthInAValueFile() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        try store.put("below", String(repeating: "x", count: 99), in: a)
        try store.engine.flush()
        #expect(try store.valueFiles().isEmpty)
        try store.put("at", String(repeating: "x", count: 100), in: a)
        try store.engine.flush()
        #expect(try store.valueFiles().count == 1)
    }

    @Test func aBatchMixesLargeAndSmallValues() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        for durability in [Durability.buffered, .synced] {
            var batch = WriteBatch()
            for i in 0..<20 {
                let value = i % 3 == 0 ? Self.value(i) : "\(i)"
                try unsafe batch.put(
                    Array(value.utf8).span.bytes, forKey: Array("k\(i)".utf8).span.bytes, in: a)
            }
            try store.engine.write(batch, durability: durability)
            for i in 0..<20 { #expect(try store.get("k\(i)", in: a) == (i % 3 == 0 ? Self.value(i) : "\(i)")) }
        }
    }

    @Test func lengthAndFlagsOfAnEntryAreKnownWithoutItsValue() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        try store.put(
            "k", String(repeating: "x", count: 500), in: a,
            options: PutOptions(isPurgeable: true, expiresAtMilliseconds: 1 << 50))
        try store.engine.flush()
        let before = store.files.operationCount
        let info = try unsafe store.engine.info(forKey: Array("k".utf8).span.bytes, in: a)
        #expect(info?.valueByteCount == 500 && info?.isPurgeable == true && info?.expiresAtMilliseconds == 1 << 50)
        #expect(try unsafe store.engine.contains(key: Array("k".utf8).span.bytes, in: a))
        #expect(!store.files.operations.dropFirst(before).contains { $0.path.hasSuffix(".val") })
    }

    @Test func aCursorForKeysReadsNoValueFile() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        for i in 0..<5 { try store.put("k\(i)", Self.value(i), in: a) }
        try store.engine.flush()
        let before = store.files.operationCount
        for order in [ScanOrder.forward, .reversed] {
            var cursor = try store.engine.cursor(over: .all, in: a, order: order, readsValues: false)
            var count = 0
            while try cursor.next() {
                #expect(cursor.info.valueByteCount == 1001 && cursor.key.byteCount == 2)
                count += 1
            }
            #expect(count == 5)
        }
        #expect(!store.files.operations.dropFirst(before).contains { $0.path.hasSuffix(".val") })
    }

    /// Backward, the deciding version is copied before the cursor moves past it.
    @Test func aCursorReadsTheDecidingOneOfSeveralVersions() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        // Snapshots keep the older versions.
        var snapshots: [Engine.Snapshot] = []
        for (first, second) in [("x", Self.value(2)), (Self.value(3), "y"), (Self.value(4), Self.value(5))] {
            let key = "k\(snapshots.count)"
            try store.put(key, first, in: a)
            snapshots.append(store.engine.snapshot())
            try store.put(key, second, in: a)
        }
        let newest = ["k0=\(Self.value(2))", "k1=y", "k2=\(Self.value(5))"]
        for _ in 0..<2 {
            #expect(try store.scan(a) == newest)
            #expect(try store.scan(a, order: .reversed) == newest.reversed())
            try store.engine.flush()
        }
        withExtendedLifetime(snapshots) {}
    }

    @Test func aSnapshotKeepsAnOverwrittenValue() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        try store.put("k", Self.value(1), in: a)
        let snapshot = store.engine.snapshot()
        try store.put("k", Self.value(2), in: a)
        try store.engine.flush()
        try store.engine.compact()
        #expect(try store.get("k", in: a, at: snapshot) == Self.value(1))
        #expect(try store.get("k", in: a) == Self.value(2))
    }

    @Test func aTransactionSeesItsOwnLargeValues() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        try store.put("k", Self.value(1), in: a)
        let value = Array(Self.value(2).utf8)
        try store.engine.transaction { (transaction) throws(StorageError) in
            try transaction.put(value, forKey: Array("k".utf8), in: a)
            #expect(try transaction.value(forKey: Array("k".utf8), in: a) == value)
        }
        #expect(try store.get("k", in: a) == Self.value(2))
    }

    @Test func aStoreKeepsItsValueFilesWithoutTheOption() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        try store.put("k", Self.value(1), in: a)
        store.options.largeValueBytes = 0
        try store.reopen()
        try store.put("l", Self.value(2), in: a)
        try store.engine.flush()
        try store.engine.compact()
        #expect(try store.valueFiles().count == 1)
        #expect(try store.scan(a) == ["k=\(Self.value(1))", "l=\(Self.value(2))"])
    }

    @Test func aStoreWithoutTheOptionHasNoValueFilesAndNoFlag() throws {
        let store = try TestStore()
        let a = try store.namespace("a")
        try store.put("k", Self.value(1), in: a)
        #expect(try store.logFeatures() == [0])
        try store.engine.flush()
        #expect(try store.valueFiles().isEmpty)
    }

    @Test func logsThatMayReferToValuesAreRefusedByEarlierVersions() throws {
        let store = try makeStore()
        _ = try store.namespace("a")
        #expect(try store.logFeatures() == [1])
    }

    @Test func aFullValueFileRotatesTheLog() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        for i in 0..<12 { try store.put("k\(i)", Self.value(i, 20_000), in: a) }
        #expect(try store.valueFiles().count >= 4, "three values of 20 000 bytes fill a file of 64 KiB")
        for i in 0..<12 { #expect(try store.get("k\(i)", in: a) == Self.value(i, 20_000)) }
    }
}

extension TestStore {
    /// The names of the value files, in order.
    func valueFiles() throws -> [String] {
        try files.openDirectory("/store/segments", create: false).list().filter { $0.hasSuffix(".val") }.sorted()
    }

    /// The required features in the headers of the logs that have begun.
    func logFeatures() throws -> [UInt64] {
        let logs = try files.openDirectory("/store/wal", create: false)
        return try logs.list().sorted().compactMap { name in
            let header = OwnedBytes(count: 64)
            defer { withExtendedLifetime(header) {} }
            let file = try logs.open(name)
            defer { file.close() }
            guard try file.read(into: header.mutable, at: 0) == 64, header.bytes.u64(at: 0) != 0 else { return nil }
            return header.bytes.u64(at: 48)
        }
    }
}
