import Synchronization

/// Words in arena memory that the writer changes while readers load them.
///
/// Every access to such a word uses these functions and has the word's own width: an `Atomic` bound in raw memory,
/// always as the same type. So the code is free of data races as defined by the language and by ThreadSanitizer. On
/// x86, and for loads and stores on arm64, these are single plain instructions.
///
/// The tree's correctness relies on these pairs: everything that a `publish` makes reachable (a new node, a new entry)
/// was written before it with ordinary stores. A reader that finds it with `acquire` sees all of those stores.
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
