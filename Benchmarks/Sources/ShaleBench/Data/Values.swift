import Posix

/// Values like db_bench's: slices of one long string. Every 100 bytes of the string are random printable characters
/// followed by the same ones again, so that half of it compresses away.
///
/// Key and generation determine the slice, so any value read can be checked. The string lives as long as the process:
/// spans of it never dangle.
@safe
struct ValuePool: @unchecked Sendable {
    private static let fragmentBytes = 100
    private static let fragments = 10_485

    /// Never freed, and never written after `init`.
    private let start: UnsafeMutableRawPointer
    let valueBytes: Int
    private let seed: UInt64

    init(valueBytes: Int, seed: UInt64) {
        self.valueBytes = valueBytes
        self.seed = mixed(seed ^ 0x76616c756573)
        let count = ValuePool.fragments * ValuePool.fragmentBytes + valueBytes
        unsafe start = .allocate(byteCount: count, alignment: 64)
        var state = self.seed
        let half = ValuePool.fragmentBytes / 2
        for offset in 0..<count {
            let place = offset % ValuePool.fragmentBytes
            if place < half {
                state &+= 0x9e37_79b9_7f4a_7c15
                let character = UInt8(32 + mixed(state) % 95)
                unsafe start.storeBytes(of: character, toByteOffset: offset, as: UInt8.self)
            } else {
                let copy = unsafe start.load(fromByteOffset: offset - half, as: UInt8.self)
                unsafe start.storeBytes(of: copy, toByteOffset: offset, as: UInt8.self)
            }
        }
    }

    /// Returns the value of key `index` as written in `generation`.
    @inline(__always) @_lifetime(immortal)
    func value(_ index: Int, _ generation: UInt64) -> RawSpan {
        unsafe _overrideLifetime(
            RawSpan(_unsafeStart: address(index, generation), byteCount: valueBytes), copying: ())
    }

    /// Returns true if `bytes` is the value of one of `generations`.
    func matches(_ bytes: RawSpan, _ index: Int, _ generations: ClosedRange<UInt64>) -> Bool {
        guard bytes.byteCount == valueBytes else { return false }
        return generations.contains { generation in
            unsafe bytes.withUnsafeBytes { unsafe sameBytes($0, address(index, generation)) }
        }
    }

    @inline(__always)
    private func address(_ index: Int, _ generation: UInt64) -> UnsafeRawPointer {
        let number = UInt64(truncatingIfNeeded: index) ^ (generation &<< 48) ^ seed
        return unsafe UnsafeRawPointer(start + pick(number, below: ValuePool.fragments) &* ValuePool.fragmentBytes)
    }
}

/// Returns true if the bytes at `start` equal those of `buffer`.
@inline(__always)
func sameBytes(_ buffer: UnsafeRawBufferPointer, _ start: UnsafeRawPointer) -> Bool {
    guard let address = buffer.baseAddress else { return true }
    return unsafe memcmp(address, start, buffer.count) == 0
}

/// A value for one thread. Three quarters are incompressible bytes that differ for each key and generation; the rest is
/// spaces.
@safe
struct HashedValue: ~Copyable {
    /// Owned; its size is a multiple of eight bytes.
    private let start: UnsafeMutableRawPointer
    let byteCount: Int

    init(byteCount: Int) {
        self.byteCount = byteCount
        let room = (byteCount + 7) & ~7
        unsafe start = .allocate(byteCount: room, alignment: 8)
        unsafe start.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: " "), count: room)
    }

    deinit { unsafe start.deallocate() }

    var span: RawSpan {
        @_lifetime(borrow self) get {
            unsafe _overrideLifetime(RawSpan(_unsafeStart: start, byteCount: byteCount), borrowing: self)
        }
    }

    mutating func set(_ index: Int, _ generation: Int) {
        let seed = mixed(UInt64(truncatingIfNeeded: index) ^ (UInt64(truncatingIfNeeded: generation) &<< 48))
        for word in 0..<(byteCount * 3 / 4 / 8) {
            let bits = mixed(seed &+ UInt64(truncatingIfNeeded: word))
            unsafe start.storeBytes(of: bits, toByteOffset: 8 * word, as: UInt64.self)
        }
    }
}
