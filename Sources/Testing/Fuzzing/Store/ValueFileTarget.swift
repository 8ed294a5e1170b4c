import ShaleBase
import ShalePlatform
import ShaleValues

extension FuzzTarget {
    /// Input: a byte of settings, a count n (u8), n references, and a value file. Bit 0: the chunk tables of the file's
    /// records are made to fit.
    static let valueFile = FuzzTarget(
        "value-file", "value files: headers, records, references, ranges", seeds: ValueFileTarget.seeds
    ) { input in
        guard input.count >= 2 else { return }
        let end = min(input.count, 2 + Int(input[1]) * ValueReference.encodedBytes)
        var file = Array(input[end...])
        let found = ValueFileSealer.seal(&file, number: ValueFileTarget.number, fitsTables: input[0] & 1 != 0)
        let claimed = try ValueFileTarget.references(Array(input[2..<end]))
        let directory = ReadOnlyDirectory([ValueFileName.make(ValueFileTarget.number): file])
        let source = ValueSource(ValueFiles(files: OpenFiles(limit: 4)), in: directory)
        _ = try ValueFileTarget.attempt { () throws(StorageError) in
            try source.file(ValueFileTarget.number).checkHeader()
        }
        for reference in found.prefix(ValueFileTarget.recordsMax) + claimed {
            try ValueFileTarget.check(reference, source)
        }
    }
}

private enum ValueFileTarget {
    static let number: UInt64 = 7
    static let recordsMax = 64

    /// Returns the references that parse. Each one has one form.
    static func references(_ bytes: [UInt8]) throws -> [ValueReference] {
        var references: [ValueReference] = []
        for start in stride(from: 0, to: bytes.count, by: ValueReference.encodedBytes) {
            let encoded = Array(bytes[start..<min(bytes.count, start + ValueReference.encodedBytes)])
            do throws(ParseFailure) {
                references.append(
                    try encoded.withBytes { (bytes) throws(ParseFailure) in try ValueReference(decoding: bytes) })
            } catch {
                continue
            }
            let again = OwnedBytes(count: ValueReference.encodedBytes)
            references[references.count - 1].encode(into: again.mutable)
            try require(again.bytes.array() == encoded, "a reference that was decoded has another form")
        }
        return references
    }

    static func attempt(_ body: () throws(StorageError) -> Void) throws -> Bool {
        do throws(StorageError) {
            try body()
            return true
        } catch {
            try requireTyped(error)
            return false
        }
    }

    static func check(_ reference: ValueReference, _ source: ValueSource) throws {
        var whole: [UInt8]?
        _ = try attempt { () throws(StorageError) in
            let value = try source.read(reference)
            whole = value.bytes.array()
        }
        let isVerified = try attempt { () throws(StorageError) in try source.file(reference.file).verify(reference) }
        let hasHeader = try attempt { () throws(StorageError) in
            try source.file(reference.file).verifyHeader(of: reference)
        }
        try require(!isVerified || whole != nil && hasHeader, "a value that verifies is not read")
        for range in ranges(reference.count) {
            var part: [UInt8]?
            _ = try attempt { () throws(StorageError) in
                let target = OwnedBytes(count: range.count)
                try source.read(range, of: reference, into: target.mutable)
                part = target.bytes.array()
            }
            try require(!isVerified || part != nil, "a range of a value that verifies is not read")
            guard let part, let whole else { continue }
            try require(part == Array(whole[range]), "a range differs from the value")
        }
    }

    private static func ranges(_ count: Int) -> [Range<Int>] {
        let chunk = ValueFileFormat.chunkBytes
        return [0..<min(1, count), count / 2..<count, count..<count, min(chunk - 1, count)..<min(chunk + 1, count)]
    }

    static func seeds() throws -> [[UInt8]] {
        let samples: [[Int]] = [[0], [5, 300], [70_000, 64], [65_536, 65_537, 131_073]]
        return try samples.flatMap { (lengths: [Int]) -> [[UInt8]] in
            let (file, references) = try write(lengths)
            let encoded = references.prefix(1).flatMap { reference in
                let bytes = OwnedBytes(count: ValueReference.encodedBytes)
                reference.encode(into: bytes.mutable)
                return bytes.bytes.array()
            }
            return [[0, 1] + encoded + file, [1, 0] + file, [1, 1] + encoded + file.dropLast(3)]
        }
    }

    private static func write(_ lengths: [Int]) throws -> (file: [UInt8], references: [ValueReference]) {
        let files = MemoryFileSystem()
        let directory = try files.openDirectory("/values", create: true)
        let writer = try ValueFileWriter(directory: directory, number: number)
        var references: [ValueReference] = []
        for length in lengths {
            let value = OwnedBytes((0..<length).map { UInt8(truncatingIfNeeded: $0 >> 4) })
            defer { withExtendedLifetime(value) {} }
            references.append(try writer.append(value.bytes, ValueDigest(of: value.bytes)))
        }
        let name = ValueFileName.make(number)
        return (try directory.content(of: name, limit: 1 << 20) ?? [], references)
    }
}

/// Writes correct checksums into a mutated value file, so that its reader parses the covered bytes.
enum ValueFileSealer {
    /// Seals the header and the records by their lengths, up to the first record that the file does not hold. Returns
    /// references to the records.
    @discardableResult
    static func seal(_ bytes: inout [UInt8], number: UInt64, fitsTables: Bool = true) -> [ValueReference] {
        guard bytes.count >= ValueFileFormat.headerBytes else { return [] }
        bytes.put(number, at: 16)
        bytes.put(bytes.checksum(0, 56, file: number), at: 56)
        var references: [ValueReference] = []
        var offset = ValueFileFormat.headerBytes
        while let length = bytes.word(UInt64.self, at: offset + 8), length <= UInt64(bytes.count) {
            let start = offset + ValueFileFormat.recordHeaderBytes
            let count = Int(length)
            let end = start + count + ValueFileFormat.tableBytes(count)
            guard start + count <= bytes.count else { break }
            let value = Array(bytes[start..<start + count])
            let digest = value.withBytes { ValueDigest(of: $0) }
            if fitsTables, let table = digest.table, end <= bytes.count {
                bytes.replaceSubrange(start + count..<end, with: table.bytes.array())
            }
            bytes.put(digest.hash &+ Checksum.place(number, UInt64(start)), at: offset)
            bytes.put(bytes.checksum(offset, 16, file: number), at: offset + 16)
            references.append(
                ValueReference(
                    file: number, offset: UInt64(start), count: count,
                    checksum: digest.hash &+ Checksum.place(number, UInt64(start))))
            offset = end
        }
        return references
    }
}
