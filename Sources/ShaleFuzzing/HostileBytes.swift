import ShaleBase

/// Words in bytes that nothing is known of: reads outside are nil, writes outside do nothing.
extension [UInt8] {
    func word<T: FixedWidthInteger>(_ type: T.Type, at offset: Int) -> T? {
        let size = MemoryLayout<T>.size
        guard offset >= 0, offset <= count - size else { return nil }
        return self[offset..<(offset + size)].reversed().reduce(0) { $0 << 8 | T(truncatingIfNeeded: $1) }
    }

    mutating func put<T: FixedWidthInteger>(_ value: T, at offset: Int) {
        let size = MemoryLayout<T>.size
        guard offset >= 0, offset <= count - size else { return }
        for index in 0..<size { self[offset + index] = UInt8(truncatingIfNeeded: value >> T(8 * index)) }
    }

    mutating func append<T: FixedWidthInteger>(word value: T) {
        append(contentsOf: [UInt8](repeating: 0, count: MemoryLayout<T>.size))
        put(value, at: count - MemoryLayout<T>.size)
    }

    /// What the format calls the sum of `offset ..< offset + length` in file `file`, bound to `place`, or else to `offset`.
    func checksum(_ offset: Int, _ length: Int, file: UInt64, place: Int? = nil) -> UInt64 {
        withBytes { Checksum.of($0.slice(offset, length), file: file, offset: UInt64(place ?? offset)) }
    }
}
