#if Logging && Metrics && Tracing && ServiceLifecycle
    import CoreMetrics
    import Logging
    import ServiceLifecycle
    import ShaleMaintenance
    import ShaleObservability
    import Testing
    import Tracing
    import UnixSignals

    private struct Server: Service {
        let isRunning: AsyncStream<Void>.Continuation

        func run() async throws {
            isRunning.yield()
            try await gracefulShutdown()
        }
    }

    @Suite struct ObservabilitySamples {
        private let logger = Logger(label: "sample") { _ in SwiftLogNoOpLogHandler() }

        @Test func aStoreIsObserved() async throws {
            let place = try TemporaryPlace()
            defer { place.remove() }
            let (path, backups) = (place.path + "/store", place.path + "/backups")
            let (metricsFactory, tracer) = (NOOPMetricsHandler.instance, NoOpTracer())
            let (session, id) = ("ann", "s1")
            var observation = StoreObservation(name: "sessions")
            observation.logger = logger
            observation.metricsFactory = metricsFactory
            observation.tracer = tracer
            let observed = try await ObservedStore.open(at: path, observation: observation)
            let sessions = observed.store.common["sessions"]
            try await observed.write(durability: .synced) { try $0.set(session, forKey: id, in: sessions) }
            try await observed.measure(.backup) { () async throws(StorageError) in
                try await Maintenance.backUp(observed.store.engine, to: backups)
            }
            try await observed.close()
            #expect(try Maintenance.backups(in: backups).count == 1)
        }

        @Test func aStoreIsAService() async throws {
            let place = try TemporaryPlace()
            defer { place.remove() }
            let path = place.path + "/store"
            let observation = StoreObservation(name: "sessions")
            let (running, isRunning) = AsyncStream<Void>.makeStream()
            let server = Server(isRunning: isRunning)
            let sessions = try await StoreService.open(at: path, observation: observation)
            let group = ServiceGroup(
                configuration: .init(
                    services: [.init(service: sessions), .init(service: server)],
                    gracefulShutdownSignals: [.sigterm], logger: logger))
            async let shutdown: Void = {
                for await _ in running { break }
                await group.triggerGracefulShutdown()
            }()
            try await group.run()
            await shutdown
            #expect(throws: StorageError.self) { try sessions.store.sync() }
        }
    }
#endif
