import ShaleBase

/// Changes of file contents under valid checksums, as an author of hostile files makes them.
extension [UInt8] {
    /// Stores an integer in the byte order of all files.
    package mutating func put<Number: FixedWidthInteger>(_ value: Number, at offset: Int) {
        for i in 0..<(Number.bitWidth / 8) { self[offset + i] = UInt8(truncatingIfNeeded: value >> Number(8 * i)) }
    }

    /// Stores the checksum of `range` at `offset`. It is bound to the number of the file and to `place`, which defaults
    /// to the start of the range.
    package mutating func seal(_ range: Range<Int>, at offset: Int, file number: UInt64, place: Int? = nil) {
        let summed = OwnedBytes(Array(self[range]))
        let sum = withExtendedLifetime(summed) {
            Checksum.of(summed.bytes, file: number, offset: UInt64(place ?? range.lowerBound))
        }
        put(sum, at: offset)
    }
}
