#if Encryption && os(Linux)
    import ShalePlatform

    /// A back end's connection to the Secret Service. It is opened with the first call, and again if the service was
    /// restarted. Thread-safe.
    final class ServiceConnection: @unchecked Sendable {
        /// Serializes the calls of a process: checking and changing an item is then one step for all of its threads.
        private static let turns = Lock()

        private let library: LibSecret
        private let limit: Duration
        /// The context in which GLib delivers events of our objects. The default would be the program's main loop; if
        /// the program runs none, events would accumulate there.
        private let context: ForeignObject
        /// Protected by `turns`.
        private var service: ForeignObject?
        private var isClosed = false

        /// `limit`: the maximum duration of a call.
        init(_ library: LibSecret, limit: Duration) throws(StorageError) {
            self.library = library
            self.limit = limit
            guard let context = unsafe library.makeContext() else { throw ServiceConnection.noMemory }
            unsafe self.context = ForeignObject(context, library.releaseContext)
        }

        deinit { close() }

        static var noMemory: StorageError { StorageError(.unavailable, "GLib can't allocate an object") }

        /// Runs `body` when no other call runs. Throws `.unavailable` if there is no service or it does not answer in
        /// time, `.closed`, and the errors of `body`.
        func call<R>(_ body: (ServiceCall) throws(StorageError) -> R) throws(StorageError) -> R {
            try ServiceConnection.turns.withLock { () throws(StorageError) in
                guard !isClosed else { throw StorageError(.closed, "the vault was closed") }
                return try inContext { () throws(StorageError) in try attempt(body) }
            }
        }

        private func attempt<R>(_ body: (ServiceCall) throws(StorageError) -> R) throws(StorageError) -> R {
            guard let deadline = ServiceDeadline(library, limit) else { throw ServiceConnection.noMemory }
            let isNew = service == nil
            do throws(StorageError) {
                return try body(try makeCall(deadline))
            } catch {
                guard error.code == .unavailable else { throw error }
                service = nil
                // A restarted service does not know our session with the old one.
                guard !isNew, !deadline.hasPassed else { throw error }
                return try body(try makeCall(deadline))
            }
        }

        private func makeCall(_ deadline: ServiceDeadline) throws(StorageError) -> ServiceCall {
            if let service {
                return ServiceCall(library: library, service: service, deadline: deadline)
            }
            service = try open(deadline)
            return try makeCall(deadline)
        }

        private func open(_ deadline: ServiceDeadline) throws(StorageError) -> ForeignObject {
            let bus = try unsafe library.checked(deadline) {
                unsafe library.object(
                    library.sessionBus(LibSecret.sessionBusType, deadline.cancellable.pointer, $0))
            }
            // By default GIO ends the program if the bus goes away.
            if let bus { unsafe library.setExitOnClose(bus.pointer, 0) }
            let service = try unsafe library.checked(deadline) {
                unsafe library.object(
                    library.openService(
                        library.serviceType(), nil, LibSecret.opensSession, deadline.cancellable.pointer, $0))
            }
            guard let service else { throw ServiceConnection.noMemory }
            return service
        }

        private func inContext<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
            unsafe library.pushContext(context.pointer)
            defer {
                while unsafe library.iterate(context.pointer, 0) != 0 {}
                unsafe library.popContext(context.pointer)
            }
            return try body()
        }

        /// Closes the connection. Later calls throw `.closed`.
        func close() {
            ServiceConnection.turns.withLock {
                guard !isClosed else { return }
                isClosed = true
                unsafe library.pushContext(context.pointer)
                service = nil
                while unsafe library.iterate(context.pointer, 0) != 0 {}
                unsafe library.popContext(context.pointer)
            }
        }
    }
#endif
