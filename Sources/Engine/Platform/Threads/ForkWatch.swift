import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Detects, without a system call, that the process is a child made by `fork`.
///
/// A child has a copy of everything but the threads: locks that other threads held stay held, and open files and
/// mappings are shared with the parent.
@safe
package final class ForkWatch: @unchecked Sendable {
    /// The number of forks between the process that made this object and the current one. Never freed: marks point to
    /// it.
    private let count: UnsafeMutablePointer<Atomic<Int>>

    /// Makes a watch that only ``noteFork()`` advances. For tests.
    package init() {
        unsafe count = .allocate(capacity: 1)
        unsafe count.initialize(to: Atomic(0))
    }

    /// The watch of every `fork` of this process. It does not see processes that are made by system calls without libc.
    package static let shared: ForkWatch = {
        let watch = ForkWatch()
        pthread_atfork(nil, nil, { ForkWatch.shared.noteFork() })
        return watch
    }()

    /// Counts a fork; called in the child.
    package func noteFork() { unsafe count.pointee.wrappingAdd(1, ordering: .relaxed) }

    /// A mark of the current process.
    package var mark: ProcessMark { unsafe ProcessMark(count) }
}

/// A record of the process in which it was made.
@safe
package struct ProcessMark: @unchecked Sendable {
    private let count: UnsafeMutablePointer<Atomic<Int>>
    private let forksAtCreation: Int

    fileprivate init(_ count: UnsafeMutablePointer<Atomic<Int>>) {
        unsafe self.count = count
        forksAtCreation = unsafe count.pointee.load(ordering: .relaxed)
    }

    /// True if this process is a child of the one that made the mark. Costs one load.
    package var isInChild: Bool { unsafe count.pointee.load(ordering: .relaxed) != forksAtCreation }
}
