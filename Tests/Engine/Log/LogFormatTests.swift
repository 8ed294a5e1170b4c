import ShaleBase
import ShaleLog
import Testing

@Suite struct LogHeaderTests {
    private let header = LogHeader(
        kind: .manifest, number: 7, previous: LogPredecessor(number: 3, size: 12_345, lastSequence: 1 << 55))

    private func encoded() -> OwnedBytes {
        let memory = OwnedBytes(count: LogFormat.headerSize)
        header.encode(into: memory.mutable)
        return memory
    }

    /// Returns the header with `value` at `offset` and a correct checksum.
    private func forged(_ offset: Int, _ value: UInt8) -> OwnedBytes {
        let memory = encoded()
        memory.mutable[offset] = value
        withExtendedLifetime(memory) {
            memory.mutable.store(Checksum.of(memory.bytes.slice(0, 56), file: 7, offset: 0), at: 56)
        }
        return memory
    }

    private func decode(
        _ memory: OwnedBytes, number: UInt64 = 7, kind: LogKind = .manifest
    ) throws(StorageError) -> LogHeader {
        defer { withExtendedLifetime(memory) {} }
        return try LogHeader.decode(memory.bytes, number: number, kind: kind, path: "MANIFEST-7")
    }

    private func error(_ memory: OwnedBytes, number: UInt64 = 7, kind: LogKind = .manifest) -> StorageError? {
        do {
            _ = try decode(memory, number: number, kind: kind)
            return nil
        } catch {
            return error
        }
    }

    @Test func aHeaderComesBackAsWritten() throws {
        #expect(try decode(encoded()) == header)
        let log = try TestLog()
        let reader = try TestLog.reader(log.content)
        #expect(reader.header?.previous == LogPredecessor(number: 11, size: 4711, lastSequence: 99))
    }

    @Test func aNewerVersionIsNamedAsSuch() {
        #expect(error(forged(8, 2))?.code == .newerFormat)
        let otherChecksum = encoded()
        otherChecksum.mutable[8] = 2
        #expect(error(otherChecksum)?.code == .newerFormat)
    }

    @Test func unknownRequiredFeaturesAreANewerFormat() {
        for offset in 48..<56 { #expect(error(forged(offset, 1))?.code == .newerFormat) }
    }

    @Test(arguments: [(0, 0x54), (8, 0), (12, 0), (12, 1), (12, 3), (13, 1), (15, 9), (16, 8)] as [(Int, UInt8)])
    func aForgedFieldIsCorruption(_ offset: Int, _ value: UInt8) {
        let error = self.error(forged(offset, value))
        #expect(error?.code == .corruption)
        #expect(error?.file == "MANIFEST-7")
        #expect(error?.offset != nil)
    }

    @Test func anotherNumberOrKindIsCorruption() {
        #expect(error(encoded(), number: 8)?.code == .corruption)
        #expect(error(encoded(), kind: .wal)?.code == .corruption)
    }

    @Test func anEarlyNewerHeaderIsNotMistakenForALogThatWasNeverWritten() throws {
        var content = try TestLog().content
        content[8] = 9
        #expect(TestLog.read(content, mayLackHeader: true).error?.code == .newerFormat)
    }
}

/// A log of format version 1, byte for byte. If this test fails, the format has changed and needs a new version number.
@Suite struct GoldenLogTests {
    private static let hex = """
        5348414c454c4f4701000000010000000c000000000000000b00000000000000
        671200000000000063000000000000000000000000000000678fd21b2d79b154
        b4f9a46aa55745340500010000000000000000006669727374
        2ab5598f5cbe2cb7000001005900000000000000
        2a2c53dafcff42ed3c0001006d00000000000000000102030405060708090a0b
        0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b
        2c2d2e2f303132333435363738393a3b
        89349d47a09666d80f000100bd00000000000000746865206c61737420726563
        6f7264
        e48b74ae7343529f1e000600000000404142434445464748494a4b4c4d4e4f50
        5152535455565758595a5b5c5d
        bbd623d2f5f1ad99000005000d01000000000000
        """

    private static var bytes: [UInt8] {
        let digits = hex.compactMap { $0.hexDigitValue }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }

    private static let records: [[UInt8]] = [
        Array("first".utf8), [], (0..<60).map { $0 }, Array("the last record".utf8),
        (0x40..<0x5e).map { $0 },
    ]

    @Test func theWriterReproducesIt() throws {
        var log = try TestLog()
        for record in GoldenLogTests.records.dropLast() {
            try log.append(record)
            try log.sync()
        }
        try log.append(single: GoldenLogTests.records[4])
        try log.sync()
        try log.writer.appendMark()
        #expect(log.content == GoldenLogTests.bytes)
    }

    @Test func theReaderUnderstandsIt() {
        let result = TestLog.read(GoldenLogTests.bytes)
        #expect(result.error == nil)
        #expect(result.records == GoldenLogTests.records)
        #expect(result.singles == [224])
        #expect(result.end == LogEnd(offset: UInt64(GoldenLogTests.bytes.count), tornBytes: 0, lastSyncedOffset: 269))
    }
}
