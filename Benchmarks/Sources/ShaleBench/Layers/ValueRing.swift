import Shale

/// A few hundred values of one type, with their stored bytes.
struct ValueRing<Value: StorableValue & Equatable> {
    static var count: Int { 256 }

    let values: [Value]
    private let bytes: [UInt8]
    private let starts: [Int]

    init(_ make: (UInt64) -> Value) throws {
        values = (0..<Self.count).map { make(mixed(UInt64($0) &+ 1)) }
        var (bytes, starts): ([UInt8], [Int]) = ([], [0])
        for value in values {
            bytes += [value.codec.rawValue, 0]
            try value.withPayload { payload in unsafe payload.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) } }
            starts.append(bytes.count)
        }
        (self.bytes, self.starts) = (bytes, starts)
    }

    /// The average stored size in bytes, including the header.
    var storedBytes: Int { bytes.count / Self.count }

    @inline(__always)
    func value(_ item: Int) -> Value { values[item & (Self.count - 1)] }

    @inline(__always)
    func withStored<R>(_ item: Int, _ body: (RawSpan) throws -> R) rethrows -> R {
        let index = item & (Self.count - 1)
        return try unsafe bytes.withUnsafeBytes { buffer in
            let value = unsafe UnsafeRawBufferPointer(rebasing: buffer[starts[index]..<starts[index + 1]])
            return try body(unsafe RawSpan(_unsafeBytes: value))
        }
    }
}
