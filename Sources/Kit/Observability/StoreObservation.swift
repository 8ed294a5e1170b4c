#if Logging || Metrics || Tracing || ServiceLifecycle
    #if Logging
        public import Logging
    #endif
    #if Metrics
        public import CoreMetrics
    #endif
    #if Tracing
        public import Tracing
    #endif

    /// The name of a store in observations, and where its observations go.
    ///
    /// Each part exists with its package trait, and nothing is observed through a part that is `nil`: the module uses
    /// no logger, factory or tracer of the process by itself.
    public struct StoreObservation: Sendable {
        /// The name of the store in log lines, metrics and spans. It should be unique among the open stores of the
        /// process and not change from start to start.
        public var name: String

        /// The interval at which statistics and health are sampled. Default 10 s; less than 100 ms counts as 100 ms.
        ///
        /// A sample costs O(files of the store), on a thread of the library.
        public var interval: Duration = .seconds(10)

        #if Logging
            /// Receives the events of the store as lines; `nil`, the default, for none.
            ///
            /// Its own level and metadata apply. The article "Observing a store" lists lines, levels and metadata.
            public var logger: Logger?
        #endif

        #if Metrics
            /// Receives the metrics of the store; `nil`, the default, for none. `MetricsSystem.factory` is that of the
            /// process.
            public var metricsFactory: (any MetricsFactory)?
        #endif

        #if Tracing
            /// Receives a span for each operation that waits; `nil`, the default, for none.
            /// `InstrumentationSystem.tracer` is that of the process.
            public var tracer: (any Tracer)?
        #endif

        static let intervalMin = Duration.milliseconds(100)

        /// The clock that the samples wait for.
        package var clock: any Clock<Duration> = ContinuousClock()

        /// Makes an observation of nothing under `name`.
        public init(name: String) { self.name = name }
    }
#endif
