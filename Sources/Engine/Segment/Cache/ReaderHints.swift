import Synchronization

/// Per-thread hints of the read path: cache hits, and whether the last lookup found its key. An update takes about 1
/// ns.
///
/// Threads use cache lines of their own, chosen by the address of their stack, with plain loads and stores. Two threads
/// that share a line by accident lose counts and guess worse; nothing else can go wrong.
@safe
final class ReaderHints: @unchecked Sendable {
    private struct Line: ~Copyable {
        let hits = Atomic<Int>(0)
        let expectsKey = Atomic<Bool>(false)
    }

    private static let lineCount = 32
    private static let lineBytes = 128

    private let lines: UnsafeMutableRawPointer

    init() {
        let bytes = ReaderHints.lineCount * ReaderHints.lineBytes
        unsafe lines = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: ReaderHints.lineBytes)
        for number in 0..<ReaderHints.lineCount { unsafe line(number).initialize(to: Line()) }
    }

    deinit { unsafe lines.deallocate() }

    @inline(__always)
    private func line(_ number: Int) -> UnsafeMutablePointer<Line> {
        unsafe (lines + number &* ReaderHints.lineBytes).assumingMemoryBound(to: Line.self)
    }

    /// The calling thread's line.
    @inline(__always)
    private var own: UnsafeMutablePointer<Line> {
        var marker: UInt8 = 0
        let stack = unsafe withUnsafeMutablePointer(to: &marker) { UInt(bitPattern: $0) }
        // Stacks are at least 64 KiB apart, usually megabytes: hash the higher bits to a line number.
        let mixed = UInt64(stack &>> 16) &* 0x9E37_79B9_7F4A_7C15
        return unsafe line(Int(truncatingIfNeeded: mixed &>> 59))
    }

    @inline(__always)
    func countHit() {
        let line = unsafe own
        unsafe line.pointee.hits.store(line.pointee.hits.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    var hitCount: Int {
        (0..<ReaderHints.lineCount).reduce(0) { unsafe $0 + line($1).pointee.hits.load(ordering: .relaxed) }
    }

    /// True if the thread's last lookup in a last level found its key there. The next lookup then probably finds its
    /// key, too.
    @inline(__always)
    var expectsKey: Bool { unsafe own.pointee.expectsKey.load(ordering: .relaxed) }

    /// Records the outcome of a lookup; stores only if it changed.
    @inline(__always)
    func expect(key: Bool) {
        let line = unsafe own
        if unsafe line.pointee.expectsKey.load(ordering: .relaxed) != key {
            unsafe line.pointee.expectsKey.store(key, ordering: .relaxed)
        }
    }
}
