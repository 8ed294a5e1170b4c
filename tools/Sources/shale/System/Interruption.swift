import Synchronization

/// ^C for commands that go on until it comes: it ends what they are doing, not the process.
enum Interruption {
    private static let flag = Atomic(false)

    static var hasCome: Bool { flag.load(ordering: .relaxed) }

    /// From here on SIGINT and SIGTERM only raise ``hasCome``.
    static func catchIt() {
        // Made now: a handler must not be the first to touch it. A store into it is all that the handler does.
        flag.store(false, ordering: .relaxed)
        // Whoever started the process may have left the signals blocked.
        var caught = sigset_t()
        unsafe sigemptyset(&caught)
        for number in [SIGINT, SIGTERM] {
            unsafe sigaddset(&caught, number)
            _ = signal(number) { _ in Interruption.flag.store(true, ordering: .relaxed) }
        }
        unsafe pthread_sigmask(SIG_UNBLOCK, &caught, nil)
    }

    /// Returns at `deadline`, or soon after the signal.
    static func wait(until deadline: ContinuousClock.Instant) {
        let clock = ContinuousClock()
        while !hasCome {
            let rest = (deadline - clock.now).seconds
            guard rest > 0 else { return }
            // In steps, because a signal that another thread takes wakes nobody here.
            usleep(UInt32(min(rest, 0.1) * 1e6))
        }
    }
}
