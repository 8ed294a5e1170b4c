/// A key for one thread: a number as decimal digits with leading zeros, so that byte order is numeric order. Setting it
/// allocates nothing and takes a few nanoseconds.
@safe
struct KeyBuffer: ~Copyable {
    /// Owned; `byteCount` bytes, at least ``digits``.
    private let start: UnsafeMutableRawPointer
    let byteCount: Int

    /// The number of digits that vary. A longer key is padded with `0` on the left.
    static let digits = 16

    init(byteCount: Int) {
        precondition(byteCount >= KeyBuffer.digits)
        self.byteCount = byteCount
        unsafe start = .allocate(byteCount: byteCount, alignment: 8)
        unsafe start.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "0"), count: byteCount)
    }

    deinit { unsafe start.deallocate() }

    var span: RawSpan {
        @_lifetime(borrow self) get {
            unsafe _overrideLifetime(RawSpan(_unsafeStart: start, byteCount: byteCount), borrowing: self)
        }
    }

    /// A copy, for interfaces that keep the key.
    var array: [UInt8] { unsafe span.withUnsafeBytes { unsafe [UInt8]($0) } }

    @inline(__always)
    mutating func set(_ index: Int) {
        let (high, low) = UInt64(truncatingIfNeeded: index).quotientAndRemainder(dividingBy: 100_000_000)
        unsafe start.storeBytes(of: eightDigits(high), toByteOffset: byteCount &- 16, as: UInt64.self)
        unsafe start.storeBytes(of: eightDigits(low), toByteOffset: byteCount &- 8, as: UInt64.self)
    }

    /// Sets a key that is never written and sorts between written ones: it shares all bytes but the last with one of
    /// them.
    @inline(__always)
    mutating func setMissing(_ index: Int) {
        set(index)
        unsafe start.storeBytes(of: UInt8(ascii: "."), toByteOffset: byteCount &- 1, as: UInt8.self)
    }

    @inline(__always)
    func equals(_ other: RawSpan) -> Bool {
        unsafe other.withUnsafeBytes { unsafe sameBytes($0, start) && $0.count == byteCount }
    }
}

/// Returns the digits of a number below 10⁸ as eight characters in memory order. Pairs, quads and octets are split in
/// parallel lanes of one word.
@inline(__always)
private func eightDigits(_ number: UInt64) -> UInt64 {
    let quads = (number / 10_000) | ((number % 10_000) &<< 32)
    let tens = ((quads &* 10_486) &>> 20) & 0x0000_007f_0000_007f
    let pairs = tens | ((quads &- tens &* 100) &<< 16)
    let ones = ((pairs &* 103) &>> 10) & 0x000f_000f_000f_000f
    let digits = ones | ((pairs &- ones &* 10) &<< 8)
    return (digits | 0x3030_3030_3030_3030).littleEndian
}
