#if canImport(Glibc)
    import Glibc

    /// Turns the SIGBUS of a failed store into a mapped file into a flag, so that it can be reported like a failed write.
    ///
    /// The kernel sends SIGBUS when it can't provide the page that a store needs: the device failed, or somebody has cut
    /// the file. The handler looks the address up in the table of guarded ranges, puts an anonymous page in its place,
    /// raises the range's flag and returns: the store is repeated and succeeds, into memory that leads nowhere, and
    /// whoever stored finds the flag before he counts on it. (systemd's journal does the same.) All other addresses go
    /// to whatever handler was there before.
    ///
    /// The handler touches raw memory, atomics and two system calls only: nothing in it allocates, locks or counts
    /// references, so it may interrupt anything. A thread that blocks SIGBUS gets no mapping: the kernel would end the
    /// process without asking. The handler is installed when the first file is mapped and stays. When somebody
    /// installs another handler later, no further ranges are guarded (and so none mapped): nobody fights over a signal.
    enum MappingGuard {
        /// Mapped windows of one process; two per open store are in use.
        static let capacity = 256

        /// Allocated before the handler is installed, which reads it without a lock.
        private static let table = GuardTable(capacity: capacity)
        /// What handled the signal before.
        nonisolated(unsafe) private static let previous: UnsafeMutablePointer<sigaction> = {
            let action = UnsafeMutablePointer<sigaction>.allocate(capacity: 1)
            unsafe action.initialize(to: sigaction())
            return unsafe action
        }()
        private static let pageMask = UInt(getpagesize()) - 1
        private static let lock = Lock()
        nonisolated(unsafe) private static var isInstalled = false

        /// Guards `count` bytes from `start` until ``remove(_:)``; nil when that is not possible.
        static func add(_ start: UnsafeMutableRawPointer, _ count: Int) -> Int? {
            lock.withLock {
                guard unsafe isInstalled ? isOurs() : install() else { return nil }
                for index in 0..<capacity where table.isFree(index) {
                    table.set(index, start: UInt(bitPattern: start), count: UInt(count))
                    return index
                }
                return nil
            }
        }

        /// Called before the range is unmapped.
        static func remove(_ index: Int) {
            lock.withLock { table.set(index, start: 0, count: 0) }
        }

        static func flag(_ index: Int) -> FaultFlag { table.flag(index) }

        // MARK: - The handler. `lock` is held in the first two.

        private static func isOurs() -> Bool {
            var current = sigaction()
            guard unsafe sigaction(SIGBUS, nil, &current) == 0 else { return false }
            return unsafe unsafeBitCast(current.__sigaction_handler.sa_sigaction, to: UInt.self)
                == unsafeBitCast(handler, to: UInt.self)
        }

        private static func install() -> Bool {
            // Made now: a lazy initialiser must not run inside the handler.
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

        /// Whether `address` is in a guarded range, whose page then leads nowhere.
        private static func absorb(_ address: UInt) -> Bool {
            for index in 0..<capacity where table.holds(address, in: index) {
                let savedError = errno
                defer { errno = savedError }
                let page = unsafe UnsafeMutableRawPointer(bitPattern: address & ~pageMask)
                let mapped = unsafe mmap(
                    page, Int(pageMask + 1), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
                guard unsafe mapped == page else { return false }
                table.raise(index)
                return true
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
            // The default action: on return the access is repeated and ends the process as if nobody had been here.
            var action = sigaction()
            unsafe sigaction(signal, &action, nil)
        }
    }
#endif
