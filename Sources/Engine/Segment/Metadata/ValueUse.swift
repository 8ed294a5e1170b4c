import ShaleBase
package import ShaleValues

/// The part of a value file that a segment's references use. On disk, do not change: DESIGN.md, "References".
package struct ValueUse: Equatable, Sendable {
    /// The number of the value file.
    package let file: UInt64
    /// The size of the whole file in bytes.
    package let fileBytes: UInt64
    /// The bytes of the records that the segment refers to, with their headers and chunk tables.
    package var usedBytes: UInt64

    package init(file: UInt64, fileBytes: UInt64, usedBytes: UInt64) {
        self.file = file
        self.fileBytes = fileBytes
        self.usedBytes = usedBytes
    }

    /// The same file without any use, to which uses are added.
    package var unused: ValueUse { ValueUse(file: file, fileBytes: fileBytes, usedBytes: 0) }

    static let encodedBytes = 24

    static func encode(_ uses: [ValueUse], into buffer: inout ByteBuffer) {
        for use in uses {
            buffer.append(use.file)
            buffer.append(use.fileBytes)
            buffer.append(use.usedBytes)
        }
    }

    /// Decodes the uses of one segment, and checks their order and bounds.
    static func decode(_ bytes: Bytes) throws(ParseFailure) -> [ValueUse] {
        guard !bytes.isEmpty, bytes.count % encodedBytes == 0 else {
            throw ParseFailure("the uses of value files are cut short")
        }
        var uses: [ValueUse] = []
        for start in stride(from: 0, to: bytes.count, by: encodedBytes) {
            let use = ValueUse(
                file: bytes.u64(at: start), fileBytes: bytes.u64(at: start + 8), usedBytes: bytes.u64(at: start + 16))
            guard use.file > uses.last?.file ?? 0, use.file <= FormatLimits.fileNumber else {
                throw ParseFailure("the uses of value files are out of order")
            }
            guard use.usedBytes > 0, use.fileBytes > ValueFileFormat.start, use.fileBytes <= FormatLimits.segmentTotal,
                use.usedBytes <= FormatLimits.segmentTotal
            else { throw ParseFailure("a use of a value file is out of bounds") }
            uses.append(use)
        }
        return uses
    }
}

/// The uses of value files by the references of one segment, as a writer counts them.
package struct ValueUseCounter {
    private var uses: [UInt64: UInt64] = [:]

    package init() {}

    package var isEmpty: Bool { uses.isEmpty }

    package mutating func add(_ reference: ValueReference) { uses[reference.file, default: 0] += reference.recordBytes }

    /// Returns the uses in order of their files. `size` returns the size of a file.
    package func sorted(size: (UInt64) -> UInt64) -> [ValueUse] {
        uses.sorted { $0.key < $1.key }.map { ValueUse(file: $0, fileBytes: size($0), usedBytes: $1) }
    }
}
