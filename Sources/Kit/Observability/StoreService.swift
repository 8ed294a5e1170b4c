#if ServiceLifecycle
    public import ServiceLifecycle
    public import ShaleBase

    /// A store as a service of a `ServiceGroup`: open before the group runs, closed when the group shuts down.
    ///
    /// ```swift
    /// let sessions = try await StoreService.open(at: path, observation: StoreObservation(name: "sessions"))
    /// let group = ServiceGroup(
    ///     configuration: .init(
    ///         services: [.init(service: sessions), .init(service: server)],
    ///         gracefulShutdownSignals: [.sigterm], logger: logger))
    /// try await group.run()
    /// ```
    /// Name it before the services that use the store: a group ends its services in the reverse order, one after
    /// another, so the store closes when its users are gone.
    ///
    /// While the service runs, the store does its own work: flushes, compactions, purge policies, and the observation.
    public struct StoreService: Service {
        /// The observed store. Usable until the service has ended.
        public let observed: ObservedStore

        /// The store itself.
        public var store: Store { observed.store }

        /// Makes a service of a store that is observed already.
        public init(_ observed: ObservedStore) { self.observed = observed }

        /// Opens the store in the directory `path` for a service.
        public nonisolated(nonsending) static func open(
            at path: String, options: Store.Options = .init(), observation: StoreObservation
        ) async throws(StorageError) -> StoreService {
            StoreService(try await ObservedStore.open(at: path, options: options, observation: observation))
        }

        /// Waits for the graceful shutdown or the cancellation of the task, and then closes the store: on return all
        /// writes are durable and the directory is free.
        ///
        /// - Throws: The errors of closing, which the group passes on. `CancellationError` if the task was cancelled
        ///   and closing succeeded.
        public func run() async throws {
            var cancellation: (any Error)?
            do { try await gracefulShutdown() } catch { cancellation = error }
            try await observed.close()
            if let cancellation { throw cancellation }
        }
    }
#endif
