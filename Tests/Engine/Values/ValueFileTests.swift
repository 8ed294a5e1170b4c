import ShaleBase
import ShalePlatform
import ShaleSimulation
import Testing

@testable import ShaleValues

/// Values in a value file are read as they were written, or not at all.
@Suite struct ValueFileTests {
    private let files = SimulatedFileSystem(seed: 1)

    private func directory() throws -> any Directory { try files.openDirectory("/values", create: true) }

    private func source(_ directory: any Directory) -> ValueSource {
        ValueSource(ValueFiles(files: OpenFiles(limit: 16)), in: directory)
    }

    /// Writes values of these lengths, and returns their references.
    private func write(_ lengths: [Int], to writer: ValueFileWriter) throws -> [ValueReference] {
        try lengths.map { length in
            let value = OwnedBytes(content(length))
            defer { withExtendedLifetime(value) {} }
            return try writer.append(value.bytes, ValueDigest(of: value.bytes))
        }
    }

    private func content(of reference: ValueReference, _ source: ValueSource) throws -> [UInt8] {
        let value = try source.read(reference)
        defer { withExtendedLifetime(value) {} }
        return value.bytes.array()
    }

    private func write(_ byte: UInt8, to file: any WritableFile, at offset: UInt64) throws {
        let bytes = OwnedBytes([byte])
        defer { withExtendedLifetime(bytes) {} }
        try file.write(bytes.bytes, at: offset)
    }

    private func content(_ length: Int) -> [UInt8] {
        (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ length) }
    }

    @Test(arguments: [[0], [1], [64, 1000, 0, 200_000], [65_536, 65_537], [131_032, 131_033, 3 << 20]])
    func valuesOfAllLengthsAreReadBack(_ lengths: [Int]) throws {
        let directory = try directory()
        let writer = try ValueFileWriter(directory: directory, number: 7)
        let references = try write(lengths, to: writer)
        try writer.sync()
        try writer.close()
        let source = source(directory)
        for (length, reference) in zip(lengths, references) {
            #expect(try content(of: reference, source) == content(length))
            #expect(reference.count == length)
        }
        try source.file(7).checkHeader()
        #expect(try source.file(7).size() == references.last?.end)
    }

    @Test func aValueIsReadBeforeAnySync() throws {
        let directory = try directory()
        let writer = try ValueFileWriter(directory: directory, number: 7)
        let reference = try write([500], to: writer)[0]
        #expect(try content(of: reference, source(directory)) == content(500))
    }

    @Test func anyChangedByteOfAValueIsDetected() throws {
        let directory = try directory()
        let writer = try ValueFileWriter(directory: directory, number: 7)
        let references = try write([300, 40], to: writer)
        let file = try directory.reopen(ValueFileName.make(7))
        for position in 0..<references[0].count {
            let offset = references[0].offset + UInt64(position)
            let byte = content(300)[position]
            try write(byte ^ 1, to: file, at: offset)
            let error = #expect(throws: StorageError.self) { try source(directory).read(references[0]) }
            #expect(error?.code == .corruption && error?.file?.hasSuffix("0000000007.val") == true)
            try write(byte, to: file, at: offset)
        }
        #expect(try content(of: references[0], source(directory)) == content(300))
    }

    @Test func aReferenceToAnotherRecordOrFileIsCorruption() throws {
        let directory = try directory()
        let first = try ValueFileWriter(directory: directory, number: 7)
        let second = try ValueFileWriter(directory: directory, number: 8)
        // The same content at another place, and at the same place of another file.
        let references = try write([100, 100], to: first)
        _ = try write([100, 100], to: second)
        let moved = ValueReference(
            file: 7, offset: references[1].offset, count: 100, checksum: references[0].checksum)
        let foreign = ValueReference(
            file: 8, offset: references[0].offset, count: 100, checksum: references[0].checksum)
        for reference in [moved, foreign] {
            let error = #expect(throws: StorageError.self) { try source(directory).read(reference) }
            #expect(error?.code == .corruption)
        }
    }

    @Test func aMissingFileIsCorruption() throws {
        let error = #expect(throws: StorageError.self) {
            try source(try directory()).read(ValueReference(file: 9, offset: 88, count: 5, checksum: 1))
        }
        #expect(error?.code == .corruption)
    }

    @Test func aFileThatIsCutIsCorruption() throws {
        let directory = try directory()
        let writer = try ValueFileWriter(directory: directory, number: 7)
        let reference = try write([300], to: writer)[0]
        try directory.reopen(ValueFileName.make(7)).truncate(to: reference.end - 1)
        let error = #expect(throws: StorageError.self) { try source(directory).read(reference) }
        #expect(error?.code == .corruption)
    }

    /// The owner in another process removes the name of a file before it cuts the file.
    @Test func aFileThatTheOwnerHasDeletedIsOutdated() throws {
        let directory = try directory()
        let writer = try ValueFileWriter(directory: directory, number: 7)
        let reference = try write([300], to: writer)[0]
        let source = ValueSource(ValueFiles(files: OpenFiles(limit: 16, isBesideOwner: true)), in: directory)
        let file = source.file(7)
        #expect(try content(of: reference, source) == content(300))
        try directory.removeAndCut(ValueFileName.make(7))
        for read in [{ _ = try file.read(reference) }, { try file.checkHeader() }] as [() throws -> Void] {
            let error = #expect(throws: StorageError.self) { try read() }
            #expect(error?.code == .outdated)
        }
    }

    @Test func aSyncedValueSurvivesAPowerLoss() throws {
        let directory = try directory()
        try files.openDirectory("/", create: false).sync()
        let writer = try ValueFileWriter(directory: directory, number: 7)
        let reference = try write([300], to: writer)[0]
        try writer.sync()
        let disk = files.crashClone(.dropAll)
        let after = try disk.openDirectory("/values", create: false)
        #expect(try content(of: reference, source(after)) == content(300))
    }

    @Test func recordsInThePlaceOfRemovedOnesAreSynced() throws {
        let directory = try directory()
        let writer = try ValueFileWriter(directory: directory, number: 7)
        _ = try write([300], to: writer)
        try writer.sync()
        writer.rewind(to: ValueFileFormat.start)
        let before = files.operationCount
        _ = try write([200], to: writer)
        try writer.sync()
        #expect(files.operationCount >= before + 2, "a write and a sync")
    }

    @Test func theRecordsOfAFileAreFoundByTheirHeaders() throws {
        let directory = try directory()
        let writer = try ValueFileWriter(directory: directory, number: 7)
        let references = try write([10, 0, 5000], to: writer)
        let file = try directory.open(ValueFileName.make(7))
        var offset = ValueFileFormat.start
        for reference in references {
            let header = OwnedBytes(count: ValueFileFormat.recordHeaderBytes)
            defer { withExtendedLifetime(header) {} }
            _ = try file.read(into: header.mutable, at: offset)
            #expect(ValueFileFormat.decodeRecordHeader(header.bytes, file: 7, offset: offset) == reference)
            #expect(ValueFileFormat.decodeRecordHeader(header.bytes, file: 8, offset: offset) == nil)
            offset = reference.end
        }
    }
}

/// References from hostile files.
@Suite struct ValueReferenceTests {
    @Test func aReferenceIsDecodedAsItWasEncoded() throws {
        let reference = ValueReference(file: 1 << 61, offset: 1 << 40, count: 32 << 20, checksum: .max - 3)
        let bytes = OwnedBytes(count: ValueReference.encodedBytes)
        defer { withExtendedLifetime(bytes) {} }
        reference.encode(into: bytes.mutable)
        #expect(try ValueReference(decoding: bytes.bytes) == reference)
    }

    @Test(arguments: [
        ValueReference(file: 0, offset: 88, count: 1, checksum: 0),
        ValueReference(file: 1 << 63, offset: 88, count: 1, checksum: 0),
        ValueReference(file: 1, offset: 87, count: 1, checksum: 0),
        ValueReference(file: 1, offset: 1 << 50, count: 1, checksum: 0),
        ValueReference(file: 1, offset: 88, count: (1 << 30) + 1, checksum: 0),
    ])
    func aReferenceOutOfBoundsIsRefused(_ reference: ValueReference) {
        let bytes = OwnedBytes(count: ValueReference.encodedBytes)
        defer { withExtendedLifetime(bytes) {} }
        reference.encode(into: bytes.mutable)
        #expect(throws: ParseFailure.self) { try ValueReference(decoding: bytes.bytes) }
    }

    @Test(arguments: [0, 1, 27, 29]) func aReferenceOfAnotherLengthIsRefused(_ count: Int) {
        let bytes = OwnedBytes([UInt8](repeating: 1, count: count))
        defer { withExtendedLifetime(bytes) {} }
        #expect(throws: ParseFailure.self) { try ValueReference(decoding: bytes.bytes) }
    }
}
