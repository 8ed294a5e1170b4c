import ShaleBase
import ShaleLog
import Testing

/// Contract: a valid header of another log proves that another log has replaced this one.
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
