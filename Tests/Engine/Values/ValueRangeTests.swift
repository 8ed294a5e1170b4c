import ShaleBase
import ShalePlatform
import ShaleSimulation
import Testing

@testable import ShaleValues

/// A range of a value is read without the rest of the value, and checked.
@Suite struct ValueRangeTests {
    private static let chunk = ValueFileFormat.chunkBytes
    private let files = SimulatedFileSystem(seed: 1)

    private func content(_ length: Int) -> [UInt8] {
        (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 13 &+ length) }
    }

    /// A value file with one value of `length` bytes after a short one.
    private func value(_ length: Int) throws -> (ValueSource, ValueReference, any WritableFile) {
        let directory = try files.openDirectory("/values", create: true)
        let writer = try ValueFileWriter(directory: directory, number: 7)
        let values = [OwnedBytes(content(10)), OwnedBytes(content(length))]
        defer { withExtendedLifetime(values) {} }
        var reference: ValueReference?
        for value in values { reference = try writer.append(value.bytes, ValueDigest(of: value.bytes)) }
        return (
            ValueSource(ValueFiles(files: OpenFiles(limit: 16)), in: directory), try #require(reference),
            try directory.reopen(ValueFileName.make(7))
        )
    }

    private func read(
        _ range: Range<Int>, _ reference: ValueReference, _ source: ValueSource
    ) throws(StorageError) -> [UInt8] {
        let target = OwnedBytes(count: range.count)
        defer { withExtendedLifetime(target) {} }
        try source.read(range, of: reference, into: target.mutable)
        return target.bytes.array()
    }

    private func flip(_ file: any WritableFile, at offset: UInt64, _ source: ValueSource) throws {
        let byte = OwnedBytes(count: 1)
        defer { withExtendedLifetime(byte) {} }
        let reader = try source.directory.open(ValueFileName.make(7))
        defer { reader.close() }
        #expect(try reader.read(into: byte.mutable, at: offset) == 1)
        byte.mutable[0] ^= 1
        try file.write(byte.bytes, at: offset)
    }

    @Test(arguments: [0, 1, 500, chunk - 1, chunk, chunk + 1, 2 * chunk, 3 * chunk + 5])
    func anyRangeHasTheBytesOfTheValue(_ length: Int) throws {
        let (source, reference, _) = try value(length)
        let whole = content(length)
        let ends = [0, 1, 2, Self.chunk - 1, Self.chunk, Self.chunk + 1, 2 * Self.chunk]
        let bounds = Set((ends + [length / 2, length - 1, length]).filter { $0 >= 0 && $0 <= length })
        for start in bounds {
            for end in bounds where end >= start {
                #expect(try read(start..<end, reference, source) == Array(whole[start..<end]), "\(start)..<\(end)")
            }
        }
    }

    @Test func damageInsideOfTheRangesChunksIsFound() throws {
        let (source, reference, file) = try value(3 * Self.chunk + 5)
        for (place, isFound) in [(0, false), (Self.chunk, true), (2 * Self.chunk - 1, true), (2 * Self.chunk, false)] {
            let offset = reference.offset + UInt64(place)
            try flip(file, at: offset, source)
            let range = Self.chunk + 7..<Self.chunk + 8
            if isFound {
                let error = #expect(throws: StorageError.self) { try read(range, reference, source) }
                #expect(error?.code == .corruption && error?.file?.hasSuffix("0000000007.val") == true)
            } else {
                #expect(try read(range, reference, source) == Array(content(3 * Self.chunk + 5)[range]))
            }
            #expect(throws: StorageError.self) { try source.read(reference) }
            try flip(file, at: offset, source)
        }
    }

    @Test func aDamagedTableFailsRangesAndTheVerificationAndNotTheWholeValue() throws {
        let (source, reference, file) = try value(3 * Self.chunk)
        try source.file(7).verify(reference)
        for byte in 0..<24 {
            try flip(file, at: reference.tableOffset + UInt64(byte), source)
            let error = #expect(throws: StorageError.self) { try read(1..<2, reference, source) }
            #expect(error?.code == .corruption)
            #expect(throws: StorageError.self) { try source.file(7).verify(reference) }
            _ = try source.read(reference)
            try flip(file, at: reference.tableOffset + UInt64(byte), source)
        }
    }

    @Test func exchangedChunksAreFound() throws {
        let length = 3 * Self.chunk
        let (source, reference, file) = try value(length)
        let whole = OwnedBytes(content(length))
        defer { withExtendedLifetime(whole) {} }
        try file.write(whole.bytes.slice(Self.chunk, Self.chunk), at: reference.offset)
        try file.write(whole.bytes.slice(0, Self.chunk), at: reference.offset + UInt64(Self.chunk))
        #expect(throws: StorageError.self) { try read(0..<1, reference, source) }
        #expect(throws: StorageError.self) { try source.read(reference) }
        #expect(try read(2 * Self.chunk..<length, reference, source) == Array(content(length)[(2 * Self.chunk)...]))
    }

    @Test func aValueWithoutItsTableIsCorruption() throws {
        let (source, reference, file) = try value(2 * Self.chunk)
        try file.truncate(to: reference.tableOffset + 8)
        let error = #expect(throws: StorageError.self) { try read(0..<1, reference, source) }
        #expect(error?.code == .corruption)
    }
}
