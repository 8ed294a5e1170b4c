#if Metrics
    import CoreMetrics
    import ShaleBase
    import ShalePlatform

    /// The durations of operations, as one timer for each operation and outcome. Thread-safe.
    final class OperationTimers: Sendable {
        static let label = "shale_operation_duration_seconds"

        private struct Series: Hashable {
            let operation: StoreOperation
            let outcome: OperationOutcome
        }

        private let factory: any MetricsFactory
        private let store: String
        /// A factory may search its registry for each new timer.
        private let timers = Locked<[Series: CoreMetrics.Timer]>([:])

        init(_ factory: any MetricsFactory, store: String) {
            self.factory = factory
            self.store = store
        }

        func record(_ operation: StoreOperation, _ outcome: OperationOutcome, nanoseconds: UInt64) {
            timer(Series(operation: operation, outcome: outcome)).recordNanoseconds(Int64(clamping: nanoseconds))
        }

        private func timer(_ series: Series) -> CoreMetrics.Timer {
            timers.withLock { timers in
                if let timer = timers[series] { return timer }
                let timer = CoreMetrics.Timer(
                    label: OperationTimers.label,
                    dimensions: [
                        ("store", store), ("operation", series.operation.rawValue), ("outcome", series.outcome.name),
                    ], factory: factory)
                timers[series] = timer
                return timer
            }
        }
    }
#endif
