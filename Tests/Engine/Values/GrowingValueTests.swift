import ShaleBase
import ShalePlatform
import ShaleSimulation
import Testing

@testable import ShaleValues

/// A value that is appended in pieces makes the same file as one that is appended as a whole.
@Suite struct GrowingValueTests {
    private static let chunk = 64 << 10

    private let files = SimulatedFileSystem(seed: 1)

    private func content(_ length: Int) -> [UInt8] {
        SeededRandom(seed: UInt64(length)).bytes(length)
    }

    private func append(_ value: [UInt8], to writer: ValueFileWriter, pieceBytes: Int) throws -> ValueReference {
        var growing = GrowingValue(in: writer)
        for start in stride(from: 0, to: value.count, by: pieceBytes) {
            let piece = OwnedBytes(Array(value[start..<min(value.count, start + pieceBytes)]))
            defer { withExtendedLifetime(piece) {} }
            try growing.append(piece.bytes)
        }
        return try growing.finish()
    }

    private func read(_ reference: ValueReference, _ source: ValueSource) throws -> [UInt8] {
        let value = try source.read(reference)
        defer { withExtendedLifetime(value) {} }
        return value.bytes.array()
    }

    @Test(arguments: [0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk, 5 * chunk + 77])
    func piecesMakeTheRecordOfTheWhole(_ length: Int) throws {
        let directory = try files.openDirectory("/values", create: true)
        let other = try files.openDirectory("/other", create: true)
        let (pieces, whole) = (
            try ValueFileWriter(directory: directory, number: 7), try ValueFileWriter(directory: other, number: 7)
        )
        for round in 0..<2 {
            let value = OwnedBytes(content(length + round))
            defer { withExtendedLifetime(value) {} }
            let expected = try whole.append(value.bytes, ValueDigest(of: value.bytes))
            #expect(try append(value.bytes.array(), to: pieces, pieceBytes: Self.chunk * (round + 1)) == expected)
        }
        #expect(pieces.endOffset == whole.endOffset)
        let limit = 1 << 20
        #expect(try directory.content(of: pieces.name, limit: limit) == other.content(of: whole.name, limit: limit))
    }

    @Test func aValueThatIsNotFinishedLeavesNoRecord() throws {
        let directory = try files.openDirectory("/values", create: true)
        let writer = try ValueFileWriter(directory: directory, number: 7)
        let value = OwnedBytes(content(300))
        defer { withExtendedLifetime(value) {} }
        do {
            var growing = GrowingValue(in: writer)
            try growing.append(value.bytes)
        }
        #expect(writer.endOffset == ValueFileFormat.start)
        let reference = try writer.append(value.bytes, ValueDigest(of: value.bytes))
        let source = ValueSource(ValueFiles(files: OpenFiles(limit: 4)), in: directory)
        #expect(try read(reference, source) == content(300))
    }

    @Test func aCopyIsReadInPiecesAndChecked() throws {
        let directory = try files.openDirectory("/values", create: true)
        let source = ValueSource(ValueFiles(files: OpenFiles(limit: 4)), in: directory)
        let writer = try ValueFileWriter(directory: directory, number: 7)
        let length = (2 << 20) + 5
        let reference = try append(content(length), to: writer, pieceBytes: 1 << 20)
        let target = try ValueFileWriter(directory: directory, number: 8)
        let copy = try target.append(copyOf: reference, from: source)
        #expect(copy.file == 8 && copy.count == length)
        #expect(try read(copy, source) == content(length))
        try source.file(8).verify(copy)
        let zero = OwnedBytes([0])
        defer { withExtendedLifetime(zero) {} }
        let file = try directory.reopen(writer.name)
        try file.write(zero.bytes, at: reference.offset + UInt64(length) - 1)
        let end = target.endOffset
        let error = #expect(throws: StorageError.self) { try target.append(copyOf: reference, from: source) }
        #expect(error?.code == .corruption && target.endOffset == end)
    }
}
