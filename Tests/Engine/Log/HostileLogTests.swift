import ShaleBase
import ShaleLog
import ShalePlatform
import Testing

/// Chunks with correct checksums that no writer makes.
@Suite struct HostileChunkTests {
    private func log(_ chunks: [(type: UInt8, flags: UInt8, synced: UInt64, payload: [UInt8])]) throws -> [UInt8] {
        var content = try TestLog().content
        for chunk in chunks {
            let memory = OwnedBytes(count: 20 + chunk.payload.count)
            let target = memory.mutable
            target.store(UInt16(chunk.payload.count), at: 8)
            target.store(chunk.type, at: 10)
            target.store(chunk.flags, at: 11)
            target.store(chunk.synced, at: 12)
            for (i, byte) in chunk.payload.enumerated() { target[20 + i] = byte }
            let sum = Checksum.of(target.bytes.suffix(from: 8), file: TestLog.number, offset: UInt64(content.count))
            target.store(sum, at: 0)
            content += withExtendedLifetime(memory) { memory.bytes.array() }
        }
        return content
    }

    @Test(
        arguments: [(7, 0, 0, 4), (255, 0, 0, 4), (1, 1, 0, 4), (1, 0, 65, 4), (5, 0, 0, 1)]
            as [(UInt8, UInt8, UInt64, Int)])
    func impossibleFieldsAreCorruption(_ type: UInt8, _ flags: UInt8, _ synced: UInt64, _ count: Int) throws {
        let content = try log([(type, flags, synced, [UInt8](repeating: 7, count: count))])
        let error = TestLog.read(content).error
        #expect(error?.code == .corruption)
        #expect(error?.offset == 64)
    }

    /// Returns a single chunk with a correct checksum behind the file header.
    private func single(distance: UInt32, payload: Int, kind: LogKind = .wal) -> [UInt8] {
        let memory = OwnedBytes(count: 64 + 15 + payload)
        let header = LogHeader(kind: kind, number: TestLog.number, previous: .none)
        header.encode(into: memory.mutable.slice(0, 64))
        let target = memory.mutable.slice(64, 15 + payload)
        target.zero(0, target.count)
        target.store(UInt16(payload), at: 8)
        target.store(UInt8(6), at: 10)
        target.store(distance, at: 11)
        target.store(Checksum.of(target.bytes.suffix(from: 8), file: TestLog.number, offset: 64), at: 0)
        return withExtendedLifetime(memory) { memory.bytes.array() }
    }

    @Test func aSingleChunkThatWasSyncedBeforeTheFileBeganIsCorruption() {
        for (distance, isFine) in [(0, true), (64, true), (65, false), (UInt32.max, false)] as [(UInt32, Bool)] {
            let result = TestLog.read(single(distance: distance, payload: 20))
            #expect((result.error == nil) == isFine)
            #expect(result.records.count == (isFine ? 1 : 0))
            if !isFine { #expect(result.error?.code == .corruption && result.error?.offset == 64) }
        }
    }

    @Test func aManifestHasNoSingleChunks() throws {
        let directory = MemoryDirectory()
        directory.put(TestLog.name, single(distance: 0, payload: 20, kind: .manifest))
        let reader = try LogReader(
            file: MemoryReadableFile(directory, TestLog.name), path: "MANIFEST-12", number: TestLog.number,
            kind: .manifest)
        let error = #expect(throws: StorageError.self) { try reader.next() }
        #expect(error?.code == .corruption && error?.offset == 64)
    }

    @Test(arguments: [[3], [4], [2, 1], [2, 2], [2, 5], [2, 3, 1]] as [[UInt8]])
    func typesOutOfOrderEndTheLog(_ types: [UInt8]) throws {
        let content = try log([(1, 0, 0, [1])] + types.map { ($0, 0, 0, $0 == 5 ? [] : [9]) })
        let result = TestLog.read(content)
        #expect(result.error == nil)
        #expect(result.records == [[1]])
        #expect(result.end?.offset == 85)
        #expect(result.end?.wasTorn == true)
    }

    @Test func typesOutOfOrderInSyncedBytesAreCorruption() throws {
        let content = try log([(1, 0, 0, [1]), (3, 0, 0, [2]), (1, 0, 106, [3])])
        #expect(TestLog.read(content).error?.offset == 85)
    }

    @Test func aWitnessMustNameMoreThanTheBadOffset() throws {
        for (synced, isCorruption) in [(85, false), (86, true)] as [(UInt64, Bool)] {
            var content = try log([(1, 0, 0, [1]), (1, 0, 0, [2]), (1, 0, synced, [3])])
            content[85 + 20] ^= 1
            #expect((TestLog.read(content).error?.code == .corruption) == isCorruption)
        }
    }

    @Test func aRecordOverTheLimitIsCorruption() throws {
        var log = try TestLog()
        try log.append(count: 70_000)
        for (limit, isFine) in [(70_000, true), (69_999, false), (1, false)] {
            let reader = try TestLog.reader(log.content, recordMax: limit)
            if isFine {
                #expect(try reader.next()?.payload.count == 70_000)
            } else {
                let error = #expect(throws: StorageError.self) { try reader.next() }
                #expect(error?.code == .corruption)
                #expect(error?.offset == 64)
            }
        }
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func arbitraryBytesNeverTrap(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let header = try TestLog().content
        let alphabet: [UInt8] = [0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 20, 64, 255]
        let body = (0..<Int.random(in: 0...40_000, using: &random)).map { _ in
            alphabet.randomElement(using: &random) ?? 0
        }
        let result = TestLog.read(header + body)
        #expect(result.records.isEmpty, "seed=\(seed)")
        #expect(result.error == nil, "seed=\(seed)")
    }
}

/// A valid header of another log proves that another log has replaced this one.
///
/// It can't be a log that never began. No writer makes such a header, and a crash leaves zeros, a part of the header,
/// or the earlier content of the blocks.
@Suite struct MisplacedLogTests {
    private func log(_ number: UInt64) throws -> [UInt8] {
        var log = try TestLog(number: number)
        try log.append(count: 100)
        return log.content
    }

    @Test(arguments: [1, 11, 13, 4711] as [UInt64])
    func aLogInThePlaceOfAnotherIsDamage(number: UInt64) throws {
        let error = TestLog.read(try log(number), mayLackHeader: true).error
        #expect(error?.code == .corruption)
        #expect(error?.file == "wal/" + TestLog.name)
        #expect(error?.offset == 16)
    }

    /// A header with a wrong checksum does not prove a replacement.
    @Test func aBrokenHeaderOfAnotherIsNone() throws {
        var content = try log(13)
        for byte in [20, 30, 60] {
            content[byte] ^= 1
            let result = TestLog.read(content, mayLackHeader: true)
            #expect(result.error == nil && result.records.isEmpty)
            content[byte] ^= 1
        }
    }

    @Test func aManifestInThePlaceOfALogIsDamage() throws {
        let directory = MemoryDirectory()
        _ = try LogWriter(
            directory: directory, name: "m", number: TestLog.number, kind: .manifest, previous: .none, preallocate: 0)
        #expect(TestLog.read(directory.content("m"), mayLackHeader: true).error?.code == .corruption)
    }
}
