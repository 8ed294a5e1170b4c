package import ShaleBase
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A range of a file as writable memory.
///
/// A store reaches the page cache at once, like `write`, but without a system call. It survives the death of the
/// process, and ``WritableFile/sync()`` makes it durable.
///
/// A store can fail like a write (the device is gone, the file system has shut down), but memory can't report that:
/// ``confirm(_:_:)`` does. No stored byte counts before `confirm` has returned.
///
/// One thread uses a window at a time. The last reference unmaps the memory.
package final class FileWindow: @unchecked Sendable {
    /// The offset in the file at which the window begins.
    package let offset: UInt64
    package let bytes: MutableBytes
    private let backing: any FileWindowBacking
    /// The flag that a failed store sets; `nil` if `backing` reports failures instead.
    package let faults: FaultFlag?
    private let file: String

    package init(
        offset: UInt64, bytes: MutableBytes, backing: any FileWindowBacking, faults: FaultFlag?, file: String
    ) {
        self.offset = offset
        self.bytes = bytes
        self.backing = backing
        self.faults = faults
        self.file = file
    }

    package var end: UInt64 { offset &+ UInt64(bytes.count) }

    /// Throws if bytes stored into `from ..< from + count` may not be in the file. The window is then unusable.
    package func confirm(_ from: Int, _ count: Int) throws(IOFailure) {
        guard let faults else { return try backing.stored(bytes.bytes.slice(from, count), at: offset &+ UInt64(from)) }
        if faults.isRaised { throw IOFailure("write", file, EIO) }
    }
}

/// The owner of a window's memory.
package protocol FileWindowBacking: AnyObject, Sendable {
    /// Called for every confirmed store of a window without a ``FaultFlag``.
    func stored(_ bytes: Bytes, at offset: UInt64) throws(IOFailure)
}

/// Tells whether an access to a mapped file has failed. A signal handler raises the flag, so it is one atomic word.
@safe
package struct FaultFlag: @unchecked Sendable {
    /// Points into a slot of a table that is never freed.
    private let word: UnsafeMutablePointer<Atomic<UInt>>

    init(_ word: UnsafeMutablePointer<Atomic<UInt>>) { unsafe self.word = word }

    /// True if an access of the calling thread failed.
    ///
    /// Relaxed is enough: the signal arrives on the accessing thread, between its access and this load.
    package var isRaised: Bool { unsafe word.pointee.load(ordering: .relaxed) != 0 }

    /// True if an access of any thread failed before the loads that the calling thread has made.
    ///
    /// The fence orders this load after them. The flag is raised before a page of zeros can be loaded, so a thread that
    /// has loaded some finds it.
    var isRaisedByAnyThread: Bool {
        atomicMemoryFence(ordering: .acquiring)
        return isRaised
    }
}
