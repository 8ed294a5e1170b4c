import ShaleBase

/// Bytes of files that tests change under checksums that hold, as an author of hostile files would.
extension [UInt8] {
    /// In the byte order of all files.
    package mutating func put<Number: FixedWidthInteger>(_ value: Number, at offset: Int) {
        for i in 0..<(Number.bitWidth / 8) { self[offset + i] = UInt8(truncatingIfNeeded: value >> Number(8 * i)) }
    }

    /// Puts the checksum of `range` at `offset`. It is bound to the number of the file and to `place`, which is where the
    /// range begins unless it is said.
    package mutating func seal(_ range: Range<Int>, at offset: Int, file number: UInt64, place: Int? = nil) {
        let summed = OwnedBytes(Array(self[range]))
        let sum = withExtendedLifetime(summed) {
            Checksum.of(summed.bytes, file: number, offset: UInt64(place ?? range.lowerBound))
        }
        put(sum, at: offset)
    }
}
