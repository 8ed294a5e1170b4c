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
