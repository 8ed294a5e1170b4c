import Synchronization

/// Says whether a store into a mapped file has failed. Raised by a signal handler, so it is a bare word of memory.
@safe
package struct FaultFlag: @unchecked Sendable {
    /// Belongs to a slot of a table that is never freed.
    private let word: UnsafeMutablePointer<Atomic<UInt>>

    init(_ word: UnsafeMutablePointer<Atomic<UInt>>) { unsafe self.word = word }

    /// The signal comes on the storing thread, between its store and this load: relaxed is enough.
    package var isRaised: Bool { unsafe word.pointee.load(ordering: .relaxed) != 0 }
}
