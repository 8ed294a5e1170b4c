import Synchronization

/// Counts cache hits on the read path for about a nanosecond: threads count on lines of their own, chosen by the address
/// of their stack, with a plain load and store. Two threads that happen to share a line may lose counts, nothing else.
@safe
final class HitCounter: @unchecked Sendable {
    private static let lineCount = 32
    private static let lineBytes = 128

    private let lines: UnsafeMutableRawPointer

    init() {
        let bytes = HitCounter.lineCount * HitCounter.lineBytes
        unsafe lines = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: HitCounter.lineBytes)
        for line in 0..<HitCounter.lineCount { unsafe counter(line).initialize(to: Atomic(0)) }
    }

    deinit { unsafe lines.deallocate() }

    @inline(__always)
    private func counter(_ line: Int) -> UnsafeMutablePointer<Atomic<Int>> {
        unsafe (lines + line &* HitCounter.lineBytes).assumingMemoryBound(to: Atomic<Int>.self)
    }

    @inline(__always)
    func count() {
        var marker: UInt8 = 0
        let stack = unsafe withUnsafeMutablePointer(to: &marker) { UInt(bitPattern: $0) }
        // Stacks are at least 64 KiB apart, usually megabytes: fold the bits above into a line number.
        let mixed = UInt64(stack &>> 16) &* 0x9E37_79B9_7F4A_7C15
        let counter = unsafe counter(Int(truncatingIfNeeded: mixed &>> 59))
        unsafe counter.pointee.store(counter.pointee.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    var total: Int {
        (0..<HitCounter.lineCount).reduce(0) { unsafe $0 + counter($1).pointee.load(ordering: .relaxed) }
    }
}
