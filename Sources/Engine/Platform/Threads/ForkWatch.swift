import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Notices that the process is a child made by `fork`, without asking the kernel who it is.
///
/// A child has a copy of everything but the threads: locks that they held stay held, and files, mappings included, are
/// its parent's.
@safe
package final class ForkWatch: @unchecked Sendable {
    /// Counts forks on the way from the process that made it to this one. It is never freed: marks point to it.
    private let count: UnsafeMutablePointer<Atomic<Int>>

    /// Counts by itself: made only in tests, which call ``noteFork()``.
    package init() {
        unsafe count = .allocate(capacity: 1)
        unsafe count.initialize(to: Atomic(0))
    }

    /// Hears of every `fork` of this process, though not of processes that are made by system calls behind libc's back.
    package static let shared: ForkWatch = {
        let watch = ForkWatch()
        pthread_atfork(nil, nil, { ForkWatch.shared.noteFork() })
        return watch
    }()

    /// In the child.
    package func noteFork() { unsafe count.pointee.wrappingAdd(1, ordering: .relaxed) }

    /// The process of now.
    package var mark: ProcessMark { unsafe ProcessMark(count) }
}

/// Remembers the process in which it was made.
@safe
package struct ProcessMark: @unchecked Sendable {
    private let count: UnsafeMutablePointer<Atomic<Int>>
    private let birth: Int

    fileprivate init(_ count: UnsafeMutablePointer<Atomic<Int>>) {
        unsafe self.count = count
        birth = unsafe count.pointee.load(ordering: .relaxed)
    }

    /// Whether this is a child of the process that made the mark. One load.
    package var isInChild: Bool { unsafe count.pointee.load(ordering: .relaxed) != birth }
}
