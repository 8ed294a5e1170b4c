import Synchronization

/// Tells whether a store into a mapped file has failed. A signal handler raises the flag, so it is one atomic word.
@safe
package struct FaultFlag: @unchecked Sendable {
    /// Points into a slot of a table that is never freed.
    private let word: UnsafeMutablePointer<Atomic<UInt>>

    init(_ word: UnsafeMutablePointer<Atomic<UInt>>) { unsafe self.word = word }

    /// True if a store failed.
    ///
    /// Relaxed is enough: the signal arrives on the storing thread, between its store and this load.
    package var isRaised: Bool { unsafe word.pointee.load(ordering: .relaxed) != 0 }
}
