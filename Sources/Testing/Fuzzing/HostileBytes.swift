import ShaleBase

/// Integers in untrusted bytes: a read out of bounds returns `nil`, a write out of bounds does nothing.
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

    /// A property list with these objects and this offset table. Magic and trailer are set to values that the lengths
    /// allow, because a random trailer is nearly always out of bounds.
    var fittedPropertyList: [UInt8]? {
        guard count >= 8 + 32 + 2 else { return nil }
        var list = self
        list.replaceSubrange(0..<8, with: Array("bplist00".utf8))
        let trailer = list.count - 32
        let objects = Swift.max(1, Swift.min(Int(list[trailer + 15]), trailer - 9))
        list.replaceSubrange((trailer + 6)..<(trailer + 8), with: [1, 1])
        for (place, number) in [(8, objects), (16, Int(list[trailer + 23]) % objects), (24, trailer - objects)] {
            list.put(UInt64(number).byteSwapped, at: trailer + place)
        }
        return list
    }

    /// Returns the format's checksum of `offset ..< offset + length` in file `file`, bound to `position` or, without
    /// it, to `offset`.
    func checksum(_ offset: Int, _ length: Int, file: UInt64, position: Int? = nil) -> UInt64 {
        withBytes { Checksum.of($0.slice(offset, length), file: file, offset: UInt64(position ?? offset)) }
    }
}
