/// Concatenated keys of the same length, with the pointer arrays that C interfaces need.
@safe
final class KeyGroup {
    let count: Int
    let keyBytes: Int
    /// Owned; the keys.
    private let start: UnsafeMutableRawPointer
    /// Owned; `count` pointers to the keys, and as many lengths.
    let pointers: UnsafeMutablePointer<UnsafePointer<CChar>?>
    let lengths: UnsafeMutablePointer<Int>

    init(count: Int, keyBytes: Int) {
        self.count = count
        self.keyBytes = keyBytes
        unsafe start = .allocate(byteCount: count * keyBytes, alignment: 8)
        unsafe pointers = .allocate(capacity: count)
        unsafe lengths = .allocate(capacity: count)
        unsafe lengths.initialize(repeating: keyBytes, count: count)
        for index in 0..<count {
            let key = unsafe start + index * keyBytes
            unsafe key.initializeMemory(as: UInt8.self, repeating: 0, count: keyBytes)
            unsafe (pointers + index).initialize(to: UnsafePointer(key.assumingMemoryBound(to: CChar.self)))
        }
    }

    deinit {
        unsafe start.deallocate()
        unsafe pointers.deallocate()
        unsafe lengths.deallocate()
    }

    func set(_ index: Int, _ key: RawSpan) {
        precondition(index < count && key.byteCount == keyBytes)
        unsafe key.withUnsafeBytes { key in
            guard let address = key.baseAddress else { return }
            unsafe (start + index * keyBytes).copyMemory(from: address, byteCount: keyBytes)
        }
    }

    subscript(index: Int) -> RawSpan {
        @_lifetime(borrow self) get {
            precondition(index < count)
            return unsafe _overrideLifetime(
                RawSpan(_unsafeStart: start + index * keyBytes, byteCount: keyBytes), borrowing: self)
        }
    }
}
