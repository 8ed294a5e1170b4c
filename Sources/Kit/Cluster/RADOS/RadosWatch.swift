#if RADOS
    import CRados
    import ShalePlatform

    /// A watch of an object. After an interruption it begins again by itself. Thread-safe.
    final class RadosWatch: PoolWatch {
        private struct State: Sendable {
            /// `nil` once the watch has ended: a reader that keeps the watch must not keep the connection.
            var context: RadosContext?
            var cookie: UInt64?
        }

        private let object: String
        private let report: @Sendable (WatchEvent) -> Void
        private let state: Locked<State>

        init(_ context: RadosContext, _ object: String, _ report: @escaping @Sendable (WatchEvent) -> Void) {
            self.object = object
            self.report = report
            state = Locked(State(context: context))
        }

        /// Begins to watch, unless it has ended. Blocks. librados holds a reference to this watch from then on, until
        /// it ends.
        func begin() -> Int32 {
            guard let context = state.withLock({ $0.context }) else { return 0 }
            var cookie: UInt64 = 0
            let retained = unsafe Unmanaged.passRetained(self)
            let status = unsafe rados_watch3(
                context.handle, object, &cookie,
                { (argument, notification, cookie, _, data, count) in
                    guard let argument = unsafe argument else { return }
                    let watch = unsafe Unmanaged<RadosWatch>.fromOpaque(argument).takeUnretainedValue()
                    unsafe watch.received(notification, cookie, UnsafeRawBufferPointer(start: data, count: count))
                },
                { (argument, cookie, _) in
                    guard let argument = unsafe argument else { return }
                    unsafe Unmanaged<RadosWatch>.fromOpaque(argument).takeUnretainedValue().interrupted(cookie)
                }, RadosWatch.seconds, retained.toOpaque())
            guard status == 0 else {
                unsafe retained.release()
                return status
            }
            let isLate = state.withLock { state in
                guard state.context != nil else { return true }
                state.cookie = cookie
                return false
            }
            if isLate { unwatch(context, cookie) }
            return 0
        }

        /// The seconds after which an OSD takes a client that does not answer for gone.
        private static let seconds: UInt32 = 30

        private func received(_ notification: UInt64, _ cookie: UInt64, _ data: UnsafeRawBufferPointer) {
            guard let context = state.withLock({ $0.context }) else { return }
            report(.notified(unsafe [UInt8](data)))
            _ = unsafe rados_notify_ack(context.handle, object, notification, cookie, nil, 0)
        }

        /// Called by librados when notifications may have been missed.
        private func interrupted(_ cookie: UInt64) {
            report(.interrupted)
            let context = state.withLock { state -> RadosContext? in
                guard state.cookie == cookie else { return nil }
                state.cookie = nil
                return state.context
            }
            // Without a context, the owner ends the watch.
            guard let context else { return }
            // Not in this callback, from which librados must not be called for the same watch.
            Task { [self] in
                do {
                    try await BlockingWork.run(isCancellable: false) { [self] (_) in
                        unwatch(context, cookie)
                        if begin() != 0 { report(.ended) }
                    }
                } catch {
                    // Without a thread there are no further hints.
                    report(.ended)
                }
            }
        }

        var hasEnded: Bool { state.withLock { $0.context == nil } }

        func end() {
            guard let (context, cookie) = takeWatch() else { return }
            Task { [self] in
                do {
                    try await BlockingWork.run(isCancellable: false) { [self] (_) in unwatch(context, cookie) }
                } catch {
                    // The watch ends with the connection.
                    return
                }
            }
        }

        /// Ends the watch with the connection. Blocks until no callback runs.
        func finish() {
            if let (context, cookie) = takeWatch() { unwatch(context, cookie) }
            report(.ended)
        }

        /// Ends the watch for its owner. Returns what `unwatch` needs if librados still has the watch.
        private func takeWatch() -> (RadosContext, UInt64)? {
            state.withLock { state in
                defer { state = State() }
                guard let context = state.context, let cookie = state.cookie else { return nil }
                return (context, cookie)
            }
        }

        /// Ends a watch and releases librados's reference. Blocks until no callback runs.
        private func unwatch(_ context: RadosContext, _ cookie: UInt64) {
            _ = unsafe rados_unwatch2(context.handle, cookie)
            _ = unsafe rados_watch_flush(context.cluster.handle)
            unsafe Unmanaged.passUnretained(self).release()
        }
    }
#endif
