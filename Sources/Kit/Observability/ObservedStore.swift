#if Logging || Metrics || Tracing || ServiceLifecycle
    public import ShaleBase
    import ShalePlatform

    #if Logging
        import Logging
    #endif

    /// A store whose events, figures and waiting operations are observed.
    ///
    /// ```swift
    /// var observation = StoreObservation(name: "sessions")
    /// observation.logger = logger
    /// observation.metricsFactory = MetricsSystem.factory
    /// observation.tracer = InstrumentationSystem.tracer
    /// let observed = try await ObservedStore.open(at: path, observation: observation)
    /// let sessions = observed.store.common["sessions"]
    /// ```
    /// The functions of this type are those of ``store`` with the same names. In addition they make a span and a
    /// duration. Everything else is used through ``store``, at its own cost: reads and buffered writes are not
    /// intercepted.
    ///
    /// Events and figures come from a task that begins with this object. It ends when the store is closed, or when this
    /// object is released.
    public final class ObservedStore: Sendable {
        /// The observed store.
        public let store: Store
        public let observation: StoreObservation
        let recorder: OperationRecorder
        private let watch: StoreWatch?

        /// Observes an open store. The statistics of before count from the first sample on.
        public init(_ store: Store, observation: StoreObservation) {
            self.store = store
            self.observation = observation
            recorder = OperationRecorder(observation, time: store.options.engine.time)
            watch = StoreWatch(store, observation)
        }

        private init(_ store: Store, _ recorder: OperationRecorder, _ observation: StoreObservation) {
            self.store = store
            self.observation = observation
            self.recorder = recorder
            watch = StoreWatch(store, observation)
        }

        /// Opens the store in the directory `path` and observes it, the opening included. Throws the errors of
        /// `Store.init(at:options:)`.
        public convenience init(
            at path: String, options: Store.Options = .init(), observation: StoreObservation
        ) throws(StorageError) {
            let recorder = OperationRecorder(observation, time: options.engine.time)
            let store = try recorder.run(.open) { () throws(StorageError) in try Store(at: path, options: options) }
            self.init(store, recorder, observation)
        }

        /// Opens the store in the directory `path` and observes it, without blocking a thread of the task pool.
        public nonisolated(nonsending) static func open(
            at path: String, options: Store.Options = .init(), observation: StoreObservation
        ) async throws(StorageError) -> ObservedStore {
            let recorder = OperationRecorder(observation, time: options.engine.time)
            let store = try await recorder.run(.open) { () async throws(StorageError) in
                try await Store.open(at: path, options: options)
            }
            return ObservedStore(store, recorder, observation)
        }

        deinit { watch?.cancel() }

        /// Takes a sample at once, as at the end of each ``StoreObservation/interval``. For an endpoint that is asked
        /// for metrics and answers with present ones.
        public nonisolated(nonsending) func sample() async { await watch?.sample() }

        // MARK: Closing

        /// Closes ``store``, as `Store.close()` does. The observation ends soon after, with the last figures.
        public func close() throws(StorageError) {
            defer { endWatch() }
            try recorder.run(.close) { () throws(StorageError) in try store.close() }
        }

        /// Closes ``store``. On return the last lines and figures have been delivered. Runs also if the task is
        /// cancelled.
        public nonisolated(nonsending) func close() async throws(StorageError) {
            do throws(StorageError) {
                try await recorder.run(.close) { () async throws(StorageError) in try await store.close() }
            } catch {
                if endWatch() { await watch?.finish() }
                throw error
            }
            if endWatch() { await watch?.finish() }
        }

        /// Ends the observation, unless the store refused to close. Returns true if it ends.
        ///
        /// The task of a store that is closed ends by itself, after the events of closing.
        @discardableResult
        private func endWatch() -> Bool {
            guard store.hasEnded else { return false }
            if store.isOpenInProcess { watch?.cancel() }
            return true
        }

        // MARK: Measuring

        /// Runs `body` as one operation: with a span, a duration and, if it throws, a line.
        ///
        /// For work on the store that has no function of its own here:
        ///
        /// ```swift
        /// try observed.measure(.backup) { try Maintenance.backUp(observed.store.engine, to: path) }
        /// ```
        @discardableResult
        public func measure<R, Failure: Error>(
            _ operation: StoreOperation, _ body: () throws(Failure) -> R
        ) throws(Failure) -> R {
            try recorder.run(operation, body)
        }

        /// Runs an asynchronous `body` as one operation, where the caller runs.
        @discardableResult
        public nonisolated(nonsending) func measure<R, Failure: Error>(
            _ operation: StoreOperation, _ body: nonisolated(nonsending) () async throws(Failure) -> R
        ) async throws(Failure) -> R {
            try await recorder.run(operation, body)
        }
    }
#endif
