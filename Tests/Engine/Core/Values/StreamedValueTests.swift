import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// Values that are written in pieces are there as a whole or not at all. Here they have files of their own from 1 KiB
/// on.
@Suite struct StreamedValueTests {
    private static let chunk = 64 << 10

    private func content(_ length: Int, _ seed: Int = 0) -> [UInt8] {
        SeededRandom(seed: UInt64(length * 7 + seed)).bytes(length)
    }

    private func stream(
        _ value: [UInt8], _ key: String, in namespace: NamespaceID, _ engine: Engine, piece: Int = 10_007,
        durability: Durability? = nil
    ) throws {
        let writer = try engine.makeValueWriter()
        var rest = value[...]
        while !rest.isEmpty {
            try unsafe writer.append(Array(rest.prefix(piece)).span.bytes)
            rest = rest.dropFirst(piece)
        }
        #expect(writer.byteCount == value.count)
        try unsafe writer.commit(forKey: Array(key.utf8).span.bytes, in: namespace, durability: durability)
    }

    private func read(_ key: String, in namespace: NamespaceID, _ engine: Engine) throws -> [UInt8]? {
        try unsafe engine.value(forKey: Array(key.utf8).span.bytes, in: namespace)
    }

    @Test(arguments: [0, 100])
    func valuesOfAllLengthsAreReadBackWhereverTheyAre(_ largeValueBytes: Int) throws {
        let store = try TestStore { $0.largeValueBytes = largeValueBytes }
        let a = try store.namespace("a")
        let lengths = [0, 1, 1023, 1024, Self.chunk - 1, Self.chunk, Self.chunk + 1, 3 << 20]
        for length in lengths {
            try stream(content(length), "\(length)", in: a, store.engine, piece: max(1, length / 3))
        }
        func check() throws {
            for length in lengths {
                #expect(try read("\(length)", in: a, store.engine) == content(length), "\(length)")
                let range = length / 3..<length / 2 + 1
                let part = try unsafe store.engine.value(
                    forKey: Array("\(length)".utf8).span.bytes, bytes: range, in: a)
                #expect(part == Array(content(length)[range.clamped(to: 0..<length)]))
            }
            #expect(try store.engine.verify().problems.isEmpty)
        }
        try check()
        try store.engine.flush()
        try check()
        try store.engine.compact()
        try check()
        try store.reopen()
        try check()
    }

    @Test func nothingIsSeenBeforeTheCommit() throws {
        let store = try TestStore()
        let a = try store.namespace("a")
        try store.put("k", "old", in: a)
        let writer = try store.engine.makeValueWriter()
        try unsafe writer.append(content(5 << 20).span.bytes)
        #expect(try store.get("k", in: a) == "old")
        try unsafe writer.commit(forKey: Array("k".utf8).span.bytes, in: a)
        #expect(try read("k", in: a, store.engine) == content(5 << 20))
    }

    @Test func aStreamThatIsCancelledDroppedOrLeftOpenLeavesNoFile() throws {
        let store = try TestStore()
        let a = try store.namespace("a")
        func begun() throws -> Engine.ValueWriter {
            let writer = try store.engine.makeValueWriter()
            try unsafe writer.append(content(3 << 20).span.bytes)
            #expect(try store.valueFiles().count == 1)
            return writer
        }
        let cancelled = try begun()
        cancelled.cancel()
        #expect(try store.valueFiles().isEmpty)
        #expect(code { () throws(StorageError) in try unsafe cancelled.append([1].span.bytes) } == .invalidArgument)
        _ = try begun()
        #expect(try store.valueFiles().isEmpty)
        let open = try begun()
        let disk = store.files.crashClone(.keepAll)
        try store.reopen()
        #expect(try store.valueFiles().isEmpty)
        #expect(
            code { () throws(StorageError) in try unsafe open.commit(forKey: [1 as UInt8].span.bytes, in: a) }
                == .closed)
        let engine = try TestStore.open(disk, store.options)
        #expect(engine.recovery.removedFiles > 0)
        #expect(!disk.paths().contains { $0.hasSuffix(".val") })
    }

    @Test func aWriterEndsWithItsCommit() throws {
        let store = try TestStore()
        let a = try store.namespace("a")
        let writer = try store.engine.makeValueWriter()
        try unsafe writer.append(content(2000).span.bytes)
        let key = Array("k".utf8)
        try unsafe writer.commit(forKey: key.span.bytes, in: a)
        #expect(code { () throws(StorageError) in try unsafe writer.append([1].span.bytes) } == .invalidArgument)
        #expect(
            code { () throws(StorageError) in try unsafe writer.commit(forKey: key.span.bytes, in: a) }
                == .invalidArgument)
        writer.cancel()
        #expect(try read("k", in: a, store.engine) == content(2000))
    }

    @Test func aCommitToADroppedNamespaceCanBeRepeatedElsewhere() throws {
        let store = try TestStore()
        let (a, b) = (try store.namespace("a"), try store.namespace("b"))
        try store.engine.drop([a])
        let writer = try store.engine.makeValueWriter()
        try unsafe writer.append(content(2000).span.bytes)
        let key = Array("k".utf8)
        #expect(
            code { () throws(StorageError) in try unsafe writer.commit(forKey: key.span.bytes, in: a) }
                == .namespaceDropped)
        try unsafe writer.commit(forKey: key.span.bytes, in: b)
        #expect(try read("k", in: b, store.engine) == content(2000))
    }

    @Test func overwrittenPurgedTruncatedAndDroppedStreamsGiveTheirFilesBack() throws {
        let store = try TestStore()
        let (a, b, c) = (try store.namespace("a"), try store.namespace("b"), try store.namespace("c"))
        for round in 0..<3 { try stream(content(3000, round), "k", in: a, store.engine) }
        try store.engine.compact()
        try store.engine.reclaim()
        #expect(try store.valueFiles().count == 1)
        #expect(try read("k", in: a, store.engine) == content(3000, 2))
        for i in 0..<3 {
            try stream(content(3000, i), "b\(i)", in: b, store.engine)
            try stream(content(3000, i), "c\(i)", in: c, store.engine)
        }
        try store.engine.truncate([b])
        try store.engine.drop([c])
        try store.delete("k", in: a)
        try store.engine.compact()
        try store.engine.reclaim()
        #expect(try store.valueFiles().isEmpty)
    }

    @Test func aFullDiskEndsTheStreamAndGivesItsSpaceBack() throws {
        let store = try TestStore(SimulatedFileSystem(seed: 1, quota: 16 << 20))
        let a = try store.namespace("a")
        try store.put("k", "v", in: a)
        let writer = try store.engine.makeValueWriter()
        let before = store.files.usedBytes
        let piece = content(1 << 20)
        var found: StorageError.Code?
        for _ in 0..<20 where found == nil {
            found = code { () throws(StorageError) in try unsafe writer.append(piece.span.bytes) }
        }
        #expect(found == .noSpace)
        #expect(store.files.usedBytes <= before && !store.engine.statistics.isPoisoned)
        #expect(
            code { () throws(StorageError) in try unsafe writer.commit(forKey: [1 as UInt8].span.bytes, in: a) }
                == .noSpace)
        try store.put("k", "w", in: a)
        try stream(piece, "l", in: a, store.engine)
        #expect(try read("l", in: a, store.engine) == piece)
    }

    @Test func aStreamedValueIsDurableBeforeItsBufferedCommit() throws {
        let store = try TestStore()
        let a = try store.namespace("a")
        try stream(content(5000), "k", in: a, store.engine, durability: .buffered)
        // The log was not synced: the entry may be lost, but never its value alone.
        for seed in 0..<20 {
            let disk = store.files.crashClone(.random, seed: UInt64(seed))
            let engine = try TestStore.open(disk, store.options)
            let found = try engine.namespace(named: Array("a".utf8)).flatMap { try read("k", in: $0.id, engine) }
            #expect(found == nil || found == content(5000))
            #expect(try engine.verify().problems.isEmpty)
        }
    }

    @Test func aMissingFileOfAStreamIsCorruption() throws {
        let store = try TestStore()
        let a = try store.namespace("a")
        try stream(content(5000), "k", in: a, store.engine, durability: .synced)
        let disk = store.files.crashClone(.keepAll)
        let directory = try disk.openDirectory("/store/segments", create: false)
        let name = try #require(try directory.list().first { $0.hasSuffix(".val") })
        try directory.remove(name)
        let error = #expect(throws: StorageError.self) { try TestStore.open(disk, store.options) }
        #expect(error?.code == .corruption && error?.file?.hasSuffix(name) == true)
    }

    @Test func aReaderBesideTheOwnerReadsStreamsOfLogsAndSegmentsAndCopiesThem() throws {
        let store = try TestStore()
        let a = try store.namespace("a")
        try stream(content(3000), "k", in: a, store.engine)
        try store.engine.flush()
        try stream(content(70_000), "l", in: a, store.engine)
        var options = store.options
        options.mode = .readOnly
        let reader = try TestStore.open(store.files, options)
        #expect(try read("k", in: a, reader) == content(3000))
        #expect(try read("l", in: a, reader) == content(70_000))
        try reader.checkpoint(at: "/copy")
        let copy = try Engine.open(
            at: "/copy", options: store.options, environment: TestStore.environment(store.files))
        #expect(try read("k", in: a, copy) == content(3000))
        #expect(try read("l", in: a, copy) == content(70_000))
        #expect(try copy.verify().problems.isEmpty)
    }

    /// 40 MiB is more than a value has that is written in one piece.
    @Test func aLongValueIsWrittenReadVerifiedAndCopied() throws {
        let store = try TestStore()
        let a = try store.namespace("a")
        let piece = content(1 << 20)
        let writer = try store.engine.makeValueWriter()
        for _ in 0..<40 { try unsafe writer.append(piece.span.bytes) }
        let key = Array("k".utf8)
        try unsafe writer.commit(forKey: key.span.bytes, in: a)
        try store.engine.checkpoint(at: "/copy")
        try store.reopen()
        let copy = try Engine.open(
            at: "/copy", options: store.options, environment: TestStore.environment(store.files))
        for engine in [store.engine, copy] {
            let start = 35 << 20
            #expect(
                try unsafe engine.value(forKey: key.span.bytes, bytes: start..<start + 100, in: a)
                    == Array(piece[..<100]))
            #expect(try unsafe engine.value(forKey: key.span.bytes, in: a)?.count == 40 << 20)
            #expect(try engine.verify().problems.isEmpty)
        }
    }
}
