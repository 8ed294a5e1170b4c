/// An unretained reference to an ``EpochDomain``, for hot code: retain and release would make all threads write one
/// cache line.
///
/// The holder of a value keeps the domain alive by other means.
@safe
@usableFromInline
package struct BorrowedDomain: @unchecked Sendable {
    @usableFromInline let domain: Unmanaged<EpochDomain>

    package init(_ domain: EpochDomain) { unsafe self.domain = .passUnretained(domain) }

    /// See ``EpochDomain/pin()``.
    @inlinable @inline(__always)
    package func pin() -> EpochSlot { unsafe domain._withUnsafeGuaranteedRef { $0.pin() } }

    /// See ``EpochDomain/unpin(_:)``.
    @inlinable @inline(__always)
    package func unpin(_ slot: EpochSlot) { unsafe domain._withUnsafeGuaranteedRef { $0.unpin(slot) } }

    /// See ``EpochDomain/threadNumber``.
    @inlinable @inline(__always)
    package var threadNumber: Int { unsafe domain._withUnsafeGuaranteedRef { $0.threadNumber } }
}
