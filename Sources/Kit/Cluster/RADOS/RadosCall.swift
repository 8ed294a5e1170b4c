#if RADOS
    import CRados
    import Synchronization

    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif

    /// One call of librados: its completion, and the function that is called then. May be cancelled from any thread.
    ///
    /// It has no reference to the connection. The callback runs on a thread of librados, where the last one must not
    /// go.
    @safe
    final class RadosCall: SharedCall, @unchecked Sendable {
        private static let sent: UInt8 = 1
        private static let cancelled: UInt8 = 2

        // Both are written before the operation is sent. librados's completions are safe from any thread.
        private var completion: rados_completion_t?
        private var end: (@Sendable (Int32, Bool) -> Void)?
        private let flags = Atomic<UInt8>(0)

        init() {
            _ = unsafe rados_aio_create_completion2(
                Unmanaged.passUnretained(self).toOpaque(),
                { (completion, argument) in
                    guard let argument = unsafe argument else { return }
                    let retained = unsafe Unmanaged<RadosCall>.fromOpaque(argument)
                    let call = unsafe retained.takeUnretainedValue()
                    let (end, isCancelled) = (call.end, call.isCancelled)
                    let status = unsafe rados_aio_get_return_value(completion)
                    // Before a task resumes, which holds the call, so that no reference is left on this thread.
                    unsafe retained.release()
                    end?(status, isCancelled)
                }, &completion)
        }

        deinit {
            if let completion = unsafe completion { unsafe rados_aio_release(completion) }
        }

        /// Sends an operation, and returns its status when it has completed. A status below 0 of `operation` means that
        /// librados did not take it. Used once.
        nonisolated(nonsending) func send(
            _ context: RadosContext, _ operation: (rados_completion_t) -> Int32
        ) async -> Int32 {
            // Resumed once: librados completes what it took once, and what it did not take never.
            unsafe await withUnsafeContinuation { (continuation) in
                unsafe send(context, operation) { (status, _) in unsafe continuation.resume(returning: status) }
            }
        }

        /// Sends an operation, and calls `end` with its status when it has completed, on a thread of librados, and with
        /// true if it was cancelled. Used once, as the other `send`.
        func send(
            _ context: RadosContext, _ operation: (rados_completion_t) -> Int32,
            end: @escaping @Sendable (Int32, Bool) -> Void
        ) {
            guard let completion = unsafe completion else { return end(-ENOMEM, false) }
            self.end = end
            // For the callback.
            let retained = unsafe Unmanaged.passRetained(self)
            let status = unsafe operation(completion)
            guard status >= 0 else {
                unsafe retained.release()
                return end(status, false)
            }
            let before = flags.bitwiseOr(RadosCall.sent, ordering: .acquiringAndReleasing).oldValue
            if before & RadosCall.cancelled != 0 { _ = unsafe rados_aio_cancel(context.handle, completion) }
        }

        /// Cancels the operation, now or when it is sent. librados ignores this if it has completed.
        func cancel(_ context: RadosContext) {
            let before = flags.bitwiseOr(RadosCall.cancelled, ordering: .acquiringAndReleasing).oldValue
            guard before & RadosCall.sent != 0, let completion = unsafe completion else { return }
            _ = unsafe rados_aio_cancel(context.handle, completion)
        }

        var isCancelled: Bool { flags.load(ordering: .acquiring) & RadosCall.cancelled != 0 }
    }
#endif
