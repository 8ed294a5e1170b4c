import Posix

/// The entries of a decompressed data block, read from the first to the last. Parses just enough of the format
/// (DESIGN.md, "Data block") to find keys and values, and verifies nothing: the blocks come from an intact store.
@safe
struct RawBlock {
    private var count = 0
    private var index = 0
    private var prefix: UnsafeRawPointer
    private var prefixCount = 0
    private var keyLengths: UnsafeRawPointer
    private var valueLengths: UnsafeRawPointer
    /// The distance in bytes between two lengths; 0 if all are equal.
    private var keyStep = 0
    private var valueStep = 0
    private var isWide = false
    private var nextKey: UnsafeRawPointer
    private var nextValue: UnsafeRawPointer

    private(set) var suffixCount = 0
    private(set) var valueCount = 0

    var isEnded: Bool { index >= count }

    init(at start: UnsafeRawPointer) {
        let count = Int(unsafe start.loadUnaligned(as: UInt32.self))
        let prefixCount = Int(unsafe start.loadUnaligned(fromByteOffset: 4, as: UInt16.self))
        let flags = unsafe start.load(fromByteOffset: 6, as: UInt8.self)
        let sequenceWidth = Int(unsafe start.load(fromByteOffset: 7, as: UInt8.self))
        let lengthBytes = flags & 34 == 0 ? 2 : 4
        unsafe prefix = start + 16
        unsafe keyLengths = prefix + prefixCount
        unsafe valueLengths = keyLengths + (flags & 1 == 0 ? 2 * count : 2)
        let kinds = unsafe valueLengths + (flags & 2 == 0 ? lengthBytes * count : 4)
        let sequences = unsafe kinds + (flags & 4 == 0 ? count : 1)
        unsafe nextKey = sequences + sequenceWidth * count + (flags & 16 == 0 ? 0 : 8 * count)
        unsafe nextValue = nextKey
        (self.count, self.prefixCount) = (count, prefixCount)
        (keyStep, valueStep) = (flags & 1 == 0 ? 2 : 0, flags & 2 == 0 ? lengthBytes : 0)
        isWide = lengthBytes == 4
        for entry in 0..<count { unsafe nextValue += keyLength(entry) }
        readLengths()
    }

    private func keyLength(_ entry: Int) -> Int {
        Int(unsafe keyLengths.loadUnaligned(fromByteOffset: entry &* keyStep, as: UInt16.self))
    }

    private mutating func readLengths() {
        guard index < count else { return }
        suffixCount = keyLength(index)
        let at = unsafe valueLengths + index &* valueStep
        valueCount = unsafe isWide ? Int(at.loadUnaligned(as: UInt32.self)) : Int(at.loadUnaligned(as: UInt16.self))
    }

    @inline(__always)
    mutating func next() {
        unsafe nextKey += suffixCount
        unsafe nextValue += valueCount
        index &+= 1
        readLengths()
    }

    var keyCount: Int { prefixCount &+ suffixCount }

    /// Copies the current key to `target`.
    @inline(__always)
    func copyKey(to target: UnsafeMutableRawPointer) {
        unsafe memcpy(target, prefix, prefixCount)
        unsafe memcpy(target + prefixCount, nextKey, suffixCount)
    }

    /// Copies what a block stores of the entry: the key's suffix and the value. Returns the number of bytes.
    @inline(__always)
    func copyEntry(to target: UnsafeMutableRawPointer) -> Int {
        unsafe memcpy(target, nextKey, suffixCount)
        unsafe memcpy(target + suffixCount, nextValue, valueCount)
        return suffixCount &+ valueCount
    }
}
