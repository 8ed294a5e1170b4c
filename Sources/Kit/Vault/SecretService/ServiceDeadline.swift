#if Encryption && os(Linux)
    import Dispatch

    /// The deadline of a call. When it passes, the running operation of libsecret is cancelled: for example if a
    /// service does not answer or waits for an absent user.
    final class ServiceDeadline {
        let cancellable: ForeignObject
        let limit: Duration
        private let alarm: DispatchWorkItem
        private let library: LibSecret

        /// Returns `nil` if there is no memory.
        init?(_ library: LibSecret, _ limit: Duration) {
            guard let cancellable = unsafe library.object(library.makeCancellable()) else { return nil }
            self.cancellable = cancellable
            self.library = library
            self.limit = limit
            alarm = DispatchWorkItem { unsafe library.cancel(cancellable.pointer) }
            let (seconds, attoseconds) = limit.components
            let delay = Double(seconds) + Double(attoseconds) / 1e18
            DispatchQueue.global().asyncAfter(deadline: .now() + delay, execute: alarm)
        }

        deinit { alarm.cancel() }

        var isOver: Bool { unsafe library.isCancelled(cancellable.pointer) != 0 }
    }
#endif
