package import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A stretch of a file as memory. What is stored into it is in the page cache at once, as after `write`: it survives the
/// death of the process, and ``WritableFile/sync()`` makes it durable. No system call per store: that is what it is for.
///
/// Stores can fail as writes can (a device that is gone, a file system that has given up), but memory has no way to say
/// so: ``confirm(_:_:)`` does. Nothing that was stored counts before it has returned.
///
/// One thread at a time. The memory goes with the last reference.
package final class FileWindow: @unchecked Sendable {
    /// Where in the file the window begins.
    package let offset: UInt64
    package let bytes: MutableBytes
    private let backing: any FileWindowBacking
    /// Set when a store has failed; nil where `backing` has to be asked.
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

    /// Throws if bytes stored into `from ..< from + count` may not be in the file; the window is then of no use any more.
    package func confirm(_ from: Int, _ count: Int) throws(IOFailure) {
        guard let faults else { return try backing.stored(bytes.bytes.slice(from, count), at: offset &+ UInt64(from)) }
        if faults.isRaised { throw IOFailure("write", file, EIO) }
    }
}

/// What owns a window's memory.
package protocol FileWindowBacking: AnyObject, Sendable {
    /// Called for every confirmed store where no ``FaultFlag`` tells.
    func stored(_ bytes: Bytes, at offset: UInt64) throws(IOFailure)
}
