import Synchronization

#if canImport(Glibc)
    import Glibc

    /// Turns the SIGBUS of a failed access to a mapped file into a flag, so that the failure can be reported like a
    /// failed write or read.
    ///
    /// The kernel sends SIGBUS if it can't provide the page for an access: the device failed, or the file was
    /// truncated. Then:
    ///
    /// 1. The handler looks the address up in the table of guarded ranges. Any other address goes to the previous
    ///    handler.
    /// 2. It raises the range's flag and maps an anonymous page over the failed one. The flag comes first: another
    ///    thread may load zeros from the new page at once, and then has to find the flag.
    /// 3. It returns. The processor repeats the access, which succeeds in the anonymous page.
    /// 4. The thread finds the flag before it relies on the access. (systemd's journal does the same.)
    ///
    /// The handler only touches raw memory and atomics and makes two system calls. It never allocates, locks or counts
    /// references, so it may interrupt anything. A thread that blocks SIGBUS gets no mapping, because the kernel would
    /// kill the process without calling the handler. The handler is installed when the first file is mapped, and stays.
    /// If the application later installs another handler, Shale guards, and so maps, no further ranges.
    enum MappingGuard {
        /// The use of a range. Windows and files have places of their own, so that many files leave room for windows.
        enum Use {
            /// A window of a log. An open store uses two.
            case windows
            /// A whole file that is read.
            case files

            fileprivate var places: Range<Int> { self == .windows ? 0..<256 : 256..<MappingGuard.capacity }
        }

        /// The largest number of guarded ranges of one process.
        static let capacity = 8192

        /// Allocated before the handler is installed: the handler reads it without a lock.
        private static let table = GuardTable(capacity: capacity)
        /// The previous handler of the signal.
        ///
        /// The pointer never changes. Only ``install()`` writes the memory, under `lock`, and never again after it has
        /// succeeded. The signal handler only reads it.
        nonisolated(unsafe) private static let previous: UnsafeMutablePointer<sigaction> = {
            let action = UnsafeMutablePointer<sigaction>.allocate(capacity: 1)
            unsafe action.initialize(to: sigaction())
            return unsafe action
        }()
        private static let pageMask = UInt(getpagesize()) - 1
        private static let lock = Lock()
        /// True once the handler is installed. Every access is made under `lock`.
        nonisolated(unsafe) private static var isInstalled = false
        private static let displaced = Atomic(false)

        /// True once ``add(_:_:in:)`` has found another handler. Nothing should be read through a mapping any more.
        static var isDisplaced: Bool { displaced.load(ordering: .relaxed) }

        /// Guards `count` bytes from `start` until ``remove(_:)``; `nil` if that is not possible.
        ///
        /// - Complexity: O(``capacity``), some microseconds.
        static func add(_ start: UnsafeMutableRawPointer, _ count: Int, in use: Use = .windows) -> Int? {
            lock.withLock {
                guard unsafe isInstalled ? isOurs() : install() else {
                    if unsafe isInstalled { displaced.store(true, ordering: .relaxed) }
                    return nil
                }
                for index in use.places where table.isFree(index) {
                    table.set(index, start: UInt(bitPattern: start), count: UInt(count))
                    return index
                }
                return nil
            }
        }

        /// Stops guarding a range. Call it before the range is unmapped.
        static func remove(_ index: Int) {
            lock.withLock { table.set(index, start: 0, count: 0) }
        }

        static func flag(_ index: Int) -> FaultFlag { table.flag(index) }

        // MARK: - The handler. The caller of the first two functions holds `lock`.

        private static func isOurs() -> Bool {
            var current = sigaction()
            guard unsafe sigaction(SIGBUS, nil, &current) == 0 else { return false }
            return unsafe unsafeBitCast(current.__sigaction_handler.sa_sigaction, to: UInt.self)
                == unsafeBitCast(handler, to: UInt.self)
        }

        private static func install() -> Bool {
            // Initializes them now: a lazy initializer must not run inside the handler.
            unsafe _ = (table, previous, pageMask)
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_sigaction = handler
            action.sa_flags = SA_SIGINFO | Int32(SA_ONSTACK)
            unsafe isInstalled = sigaction(SIGBUS, &action, previous) == 0
            return unsafe isInstalled
        }

        private typealias Handler =
            @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void

        private static var handler: Handler {
            { (signal, info, context) in
                let address = unsafe UInt(bitPattern: info?.pointee._sifields._sigfault.si_addr)
                if MappingGuard.absorb(address) { return }
                unsafe MappingGuard.passOn(signal, info, context)
            }
        }

        /// Returns true if `address` is in a guarded range; its page is then replaced by an anonymous one.
        private static func absorb(_ address: UInt) -> Bool {
            for index in 0..<capacity where table.holds(address, in: index) {
                let savedError = errno
                defer { errno = savedError }
                table.raise(index)
                let page = unsafe UnsafeMutableRawPointer(bitPattern: address & ~pageMask)
                let mapped = unsafe mmap(
                    page, Int(pageMask + 1), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
                return unsafe mapped == page
            }
            return false
        }

        private static func passOn(
            _ signal: Int32, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
        ) {
            let word = unsafe unsafeBitCast(previous.pointee.__sigaction_handler.sa_handler, to: UInt.self)
            if word > 1 {
                if unsafe previous.pointee.sa_flags & SA_SIGINFO != 0 {
                    unsafe previous.pointee.__sigaction_handler.sa_sigaction(signal, info, context)
                } else {
                    unsafe previous.pointee.__sigaction_handler.sa_handler(signal)
                }
                return
            }
            // Restores the default action: the repeated access then kills the process, as it would without this
            // handler.
            var action = sigaction()
            unsafe sigaction(signal, &action, nil)
        }
    }
#endif

/// A table of memory ranges that a signal handler reads without a lock. Its memory is never freed.
///
/// A slot has four words: a version, the start of the range (0: the slot is free), its size, and a flag for a failed
/// store. A reader must not combine the start of a removed range with the size of the range that reused the slot. That
/// false range could contain the address of a foreign failed store, which would go unreported. Hence:
///
/// 1. A writer makes the version odd before it changes start and size, and even afterwards. The version rises with
///    each change.
/// 2. A reader accepts start and size only if it finds the same even version before and after.
/// 3. A reader skips a slot that is changing. The range it looks for is not there: that range's owner is the
///    interrupted thread.
@safe
struct GuardTable: @unchecked Sendable {
    private static let slotWords = 4
    private let words: UnsafeMutablePointer<Atomic<UInt>>
    let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        let count = capacity * GuardTable.slotWords
        unsafe words = .allocate(capacity: count)
        for index in 0..<count { unsafe (words + index).initialize(to: Atomic(0)) }
    }

    private func word(_ index: Int, _ field: Int) -> UnsafeMutablePointer<Atomic<UInt>> {
        unsafe words + (index * GuardTable.slotWords + field)
    }

    func isFree(_ index: Int) -> Bool { unsafe word(index, 1).pointee.load(ordering: .relaxed) == 0 }

    /// Sets slot `index` to this range, or frees it if `start` is 0. One thread calls this at a time.
    func set(_ index: Int, start: UInt, count: UInt) {
        let version = unsafe word(index, 0)
        let before = unsafe version.pointee.load(ordering: .relaxed)
        unsafe version.pointee.store(before &+ 1, ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
        unsafe word(index, 1).pointee.store(start, ordering: .relaxed)
        unsafe word(index, 2).pointee.store(count, ordering: .relaxed)
        if start != 0 { unsafe word(index, 3).pointee.store(0, ordering: .relaxed) }
        unsafe version.pointee.store(before &+ 2, ordering: .releasing)
    }

    /// Returns true if slot `index` holds a range that contains `address`. `betweenLoads` is for tests.
    @inline(__always)
    func holds(_ address: UInt, in index: Int, betweenLoads: () -> Void = {}) -> Bool {
        let before = unsafe word(index, 0).pointee.load(ordering: .acquiring)
        let start = unsafe word(index, 1).pointee.load(ordering: .relaxed)
        betweenLoads()
        let count = unsafe word(index, 2).pointee.load(ordering: .relaxed)
        atomicMemoryFence(ordering: .acquiring)
        let after = unsafe word(index, 0).pointee.load(ordering: .relaxed)
        guard before == after, before & 1 == 0 else { return false }
        return start != 0 && address >= start && address - start < count
    }

    func raise(_ index: Int) { unsafe word(index, 3).pointee.store(1, ordering: .releasing) }

    func flag(_ index: Int) -> FaultFlag { unsafe FaultFlag(word(index, 3)) }
}
