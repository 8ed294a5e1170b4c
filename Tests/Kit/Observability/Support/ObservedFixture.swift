#if Logging && Metrics && Tracing && ServiceLifecycle
    import InMemoryLogging
    import InMemoryTracing
    import Logging
    import MetricsTestKit
    import Shale
    import ShaleEngine
    import ShalePlatform
    import ShaleSimulation
    import Tracing

    @testable import ShaleObservability

    /// A value as it was written, and a type that refuses to decode it with an error that quotes it.
    struct WrittenValue: Codable {
        let mode: String
    }

    struct RefusingValue: Codable {
        enum Mode: String, Codable { case known }

        let mode: Mode
    }

    /// Observers that keep what they get, and observed stores on a simulated disk.
    struct ObservedFixture {
        let log = InMemoryLogHandler()
        let metrics = TestMetrics()
        let tracer = InMemoryTracer()
        let clock = TickClock()
        let time = ManualTime()
        let files = SimulatedFileSystem(seed: 1)

        var observation: StoreObservation {
            var observation = StoreObservation(name: "test")
            var logger = Logger(label: "test") { [log] _ in log }
            logger.logLevel = .trace
            observation.logger = logger
            observation.metricsFactory = metrics
            observation.tracer = tracer
            observation.clock = clock
            return observation
        }

        /// Opens the store; opened again, it is the same store.
        func store(_ change: (inout Engine.Options) -> Void = { _ in }) throws -> Store {
            var options = Store.Options()
            options.engine.time = time
            options.engine.syncInterval = nil
            options.engine.memtableBytes = 64 << 10
            options.engine.memoryBudget = 8 << 20
            change(&options.engine)
            return try Store(at: "/store", options: options, environment: EngineEnvironment(fileSystem: files))
        }

        func observed(_ change: (inout Engine.Options) -> Void = { _ in }) throws -> ObservedStore {
            ObservedStore(try store(change), observation: observation)
        }

        /// Runs the blocking forms of calls in an asynchronous test.
        func blocking<R>(_ body: () throws -> R) rethrows -> R { try body() }

        /// The messages of the lines of a level, in order.
        func messages(_ level: Logger.Level) -> [String] {
            log.entries.filter { $0.level == level }.map(\.message.description)
        }

        func line(_ message: String) -> InMemoryLogHandler.Entry? {
            log.entries.last { $0.message.description == message }
        }

        func total(_ label: String, _ dimensions: (String, String)...) -> Int64 {
            metrics.counterTotal(label: label, dimensions: [("store", "test")] + dimensions)
        }

        func gauge(_ label: String, _ dimensions: (String, String)...) -> Double? {
            metrics.meters(label: label, dimensions: [("store", "test")] + dimensions).first?.lastValue
        }

        func durations(_ operation: String, _ outcome: String) -> Int {
            metrics.timers(
                label: "shale_operation_duration_seconds",
                dimensions: [("store", "test"), ("operation", operation), ("outcome", outcome)]
            ).reduce(0) { $0 + $1.values.count }
        }

        /// The finished spans, in the order in which they ended.
        var spans: [FinishedInMemorySpan] { tracer.finishedSpans }
    }
#endif
