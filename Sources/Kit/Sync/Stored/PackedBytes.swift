package import ShaleBase

/// Integers of fixed size and bytes with their length, one after the other. Integers are little-endian.
package struct PackedWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func integer<T: FixedWidthInteger>(_ value: T) {
        for shift in 0..<(T.bitWidth / 8) { bytes.append(UInt8(truncatingIfNeeded: value >> T(8 * shift))) }
    }

    package mutating func data(_ data: some Collection<UInt8>) {
        integer(UInt32(data.count))
        bytes.append(contentsOf: data)
    }

    /// Writes a flag for whether there are bytes, and the bytes.
    package mutating func optional(_ data: [UInt8]?) {
        integer(UInt8(data == nil ? 0 : 1))
        if let data { self.data(data) }
    }
}

/// Reads what a ``PackedWriter`` wrote.
package struct PackedReader {
    private let bytes: [UInt8]
    private var index = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Throws: `.corruption` if the bytes end before.
    package mutating func integer<T: FixedWidthInteger>(_ type: T.Type = T.self) throws(StorageError) -> T {
        let size = T.bitWidth / 8
        guard bytes.count - index >= size else { throw .corruption("a stored state of synchronisation ends early") }
        var value: T = 0
        for shift in 0..<size { value |= T(truncatingIfNeeded: bytes[index + shift]) << T(8 * shift) }
        index += size
        return value
    }

    package mutating func data() throws(StorageError) -> [UInt8] {
        let count = Int(try integer(UInt32.self))
        guard bytes.count - index >= count else { throw .corruption("a stored state of synchronisation ends early") }
        index += count
        return Array(bytes[index - count..<index])
    }

    package mutating func optional() throws(StorageError) -> [UInt8]? {
        try integer(UInt8.self) == 0 ? nil : try data()
    }

    /// Throws `.corruption` unless everything was read.
    package func finish() throws(StorageError) {
        guard index == bytes.count else { throw .corruption("a stored state of synchronisation is too long") }
    }
}

extension [UInt8] {
    /// The bytes of a number, so that numbers are ordered as keys.
    package init(bigEndian number: UInt64) {
        self = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
    }
}

extension UInt64 {
    /// Parses the first eight bytes; `nil` if there are fewer.
    package init?(bigEndian bytes: some Collection<UInt8>) {
        guard bytes.count >= 8 else { return nil }
        self = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
