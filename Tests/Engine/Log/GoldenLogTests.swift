import ShaleBase
import ShaleLog
import Testing

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
