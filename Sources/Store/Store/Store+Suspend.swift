public import ShaleBase
import ShaleEngine
import ShalePlatform

extension Store {
    /// Ends all openings of the store in this process, so that another process may open it, and returns what opens it
    /// again.
    ///
    /// ```swift
    /// suspended = try store.suspend()
    /// // The system suspends the process, and an extension of the app writes.
    /// store = try suspended.resume()
    /// ```
    ///
    /// Makes all writes durable and stops all background work, as ``close()`` of the last opening does. On return the
    /// process holds no lock on a file of the store, also if the call throws (except for `.invalidArgument`): iOS ends
    /// an app that is suspended with such a lock in a shared container (0xDEAD10CC).
    ///
    /// Everything that was taken from the store ends: namespaces, scans, snapshots, transactions and change logs throw
    /// `.closed`, and observations end after the changes that wait in them. Take namespaces from the resumed store
    /// again, observe them again, and register handlers and purgeable paths again. With the last sequence that an
    /// observation has delivered, nothing is missed.
    ///
    /// - Throws: `.closed` if the store is closed, and the errors of ``close()``. The openings have ended then too,
    ///   unless the error is `.invalidArgument`.
    public func suspend() throws(StorageError) -> Suspended {
        try core.engine.requireOutsideOfProgress()
        try core.engine.requireOwnProcess()
        let user = core.currentUser.id
        return Suspended(core, user, try core.suspend())
    }

    /// Ends all openings, as the `suspend` that blocks does. Runs also if the task is cancelled.
    public nonisolated(nonsending) func suspend() async throws(StorageError) -> Suspended {
        try await BlockingWork.run(isCancellable: false) { (_) throws(StorageError) in try self.suspend() }
    }

    /// A store that was suspended in this process. See ``Store/suspend()``.
    public struct Suspended: Sendable {
        private let path: String
        private let options: Options
        private let user: String?
        private let engine: Engine.Suspended

        init(_ core: StoreCore, _ user: String?, _ engine: Engine.Suspended) {
            path = core.path
            options = core.options
            self.user = user
            self.engine = engine
        }

        /// Opens the store again, with the same options and current user, and with everything that other processes have
        /// written meanwhile.
        ///
        /// A store that is missing now is not created. After an error it can be tried again.
        ///
        /// - Throws: `.locked`, with the process in the message, while another one has the store open; `.outdated` if
        ///   the directory holds another store now, or an older state of this one; and the errors of opening.
        public func resume() throws(StorageError) -> Store {
            var options = options
            if options.engine.mode == .createIfMissing { options.engine.mode = .openExisting }
            let store = try Store(at: path, options: options, environment: engine.environment)
            do throws(StorageError) {
                try engine.requireSuccessor(store.core.engine)
            } catch {
                try store.close()
                throw error
            }
            if let user { try store.signIn(user) }
            return store
        }

        /// Opens the store again, as the `resume` that blocks does.
        public nonisolated(nonsending) func resume() async throws(StorageError) -> Store {
            try await BlockingWork.run { (_) throws(StorageError) in try self.resume() }
        }
    }
}
