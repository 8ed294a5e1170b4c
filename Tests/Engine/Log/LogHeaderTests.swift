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
