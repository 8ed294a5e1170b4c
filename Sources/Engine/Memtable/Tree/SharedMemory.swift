import Synchronization

/// Words in arena memory that the writer changes while readers look at them.
///
/// Every access to such a word goes through here and has the word's own width: `Atomic` bound in raw memory, always as
/// the same type, so that the code is free of data races in the sense of the language and of ThreadSanitizer. On x86 and
/// for loads and stores on arm64 these are single plain instructions.
///
/// The pairs that carry the tree's correctness: whatever a `publish` makes reachable (a new node, a new entry) was
/// written before it with ordinary stores, and a reader that finds it with `acquire` sees all of those.
enum SharedMemory {
    @inline(__always) @unsafe
    static func acquire8(_ address: UnsafeMutableRawPointer) -> UInt8 {
        unsafe address.assumingMemoryBound(to: Atomic<UInt8>.self).pointee.load(ordering: .acquiring)
    }

    @inline(__always) @unsafe
    static func publish8(_ address: UnsafeMutableRawPointer, _ value: UInt8) {
        unsafe address.assumingMemoryBound(to: Atomic<UInt8>.self).pointee.store(value, ordering: .releasing)
    }

    @inline(__always) @unsafe
    static func acquire32(_ address: UnsafeMutableRawPointer) -> UInt32 {
        unsafe address.assumingMemoryBound(to: Atomic<UInt32>.self).pointee.load(ordering: .acquiring)
    }

    @inline(__always) @unsafe
    static func publish32(_ address: UnsafeMutableRawPointer, _ value: UInt32) {
        unsafe address.assumingMemoryBound(to: Atomic<UInt32>.self).pointee.store(value, ordering: .releasing)
    }

    @inline(__always) @unsafe
    static func acquire64(_ address: UnsafeMutableRawPointer) -> UInt64 {
        unsafe address.assumingMemoryBound(to: Atomic<UInt64>.self).pointee.load(ordering: .acquiring)
    }

    @inline(__always) @unsafe
    static func publish64(_ address: UnsafeMutableRawPointer, _ value: UInt64) {
        unsafe address.assumingMemoryBound(to: Atomic<UInt64>.self).pointee.store(value, ordering: .releasing)
    }
}
