#if Logging && Metrics && Tracing && ServiceLifecycle
    import InMemoryTracing
    import Logging
    import ServiceLifecycle
    import ShaleBase
    import ShaleEngine
    import ShalePlatform
    import ShaleSimulation
    import Testing
    import Tracing

    @testable import Shale
    @testable import ShaleObservability

    /// A service that writes until it is asked to end, and once more then.
    private struct Writer: Service {
        let namespace: Store.Namespace
        let isRunning: AsyncStream<Void>.Continuation

        func run() async throws {
            try namespace.set("running", forKey: "state")
            isRunning.yield()
            try await gracefulShutdown()
            try namespace.set("ended", forKey: "state")
        }
    }

    /// A store in a group of services.
    @Suite struct StoreServiceTests {
        private let fixture = ObservedFixture()
        private let logger = Logger(label: "group") { _ in SwiftLogNoOpLogHandler() }

        private func group(_ observed: ObservedStore) -> (group: ServiceGroup, running: AsyncStream<Void>) {
            let (running, continuation) = AsyncStream<Void>.makeStream()
            let writer = Writer(namespace: observed.store.common["n"], isRunning: continuation)
            let group = ServiceGroup(services: [StoreService(observed), writer], logger: logger)
            return (group, running)
        }

        @Test func gracefulShutdownClosesTheStoreAfterItsUsers() async throws {
            let (group, running) = group(try fixture.observed())
            async let work: Void = group.run()
            for await _ in running { break }
            await group.triggerGracefulShutdown()
            try await work
            #expect(fixture.messages(.debug) == ["store opened", "store closed"])
            // A loss of power keeps only what closing made durable.
            let after = fixture.files.crashClone(.dropAll, seed: 1)
            let store = try Store(
                at: "/store", options: Store.Options(), environment: EngineEnvironment(fileSystem: after))
            #expect(try store.common["n"].string(forKey: "state") == "ended")
            #expect(store.recovery.replayedBatches == 0)
            try await store.close()
        }

        @Test func cancellationClosesTheStoreToo() async throws {
            let (group, running) = group(try fixture.observed())
            let task = Task { try await group.run() }
            for await _ in running { break }
            task.cancel()
            await #expect(throws: (any Error).self) { try await task.value }
            let store = try fixture.store()
            #expect(store.recovery.replayedBatches == 0)
            #expect(try store.common["n"].string(forKey: "state") == "running")
            try await store.close()
        }

        @Test func anErrorOfClosingReachesTheGroup() async throws {
            let (group, running) = group(try fixture.observed())
            let task = Task { try await group.run() }
            for await _ in running { break }
            fixture.files.inject(FaultRule(on: [.sync], when: .always, repeatsForever: true, .error(5)))
            await group.triggerGracefulShutdown()
            await #expect(throws: StorageError.self) { try await task.value }
            #expect(fixture.spans.last?.operationName == "shale.close")
            #expect(fixture.spans.last?.status?.code == .error)
        }

        @Test func aServiceOpensItsStore() async throws {
            let path = "/nowhere/\(#function)"
            var options = Store.Options()
            options.engine.mode = .openExisting
            await #expect(throws: StorageError.self) {
                try await StoreService.open(at: path, options: options, observation: fixture.observation)
            }
            #expect(fixture.spans.first?.operationName == "shale.open")
        }
    }
#endif
