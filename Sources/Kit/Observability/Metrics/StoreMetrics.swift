#if Metrics
    import CoreMetrics
    import ShaleBase
    import ShaleEngine
    import ShalePlatform

    /// The metrics of one store: what samples and events become. Thread-safe.
    final class StoreMetrics: Sendable {
        private let factory: any MetricsFactory
        private let dimensions: [(String, String)]
        private let totals: [Counter]
        private let durations: [FloatingPointCounter]
        private let gauges: [Meter]
        private let recovery: [Meter]
        private let hitRatio: Meter
        private let flushes: CoreMetrics.Timer
        private let purgedEntries: Counter
        private let state = Locked(State())

        private struct State: Sendable {
            /// The figures of the sample before.
            var last: StoreFigures?
            /// The gauges of the levels, made when a level is first seen.
            var levels: [LevelGauges] = []
            var compactions: [String: CoreMetrics.Timer] = [:]
            var purges: [String: Counter] = [:]
        }

        private struct LevelGauges: Sendable {
            let storedBytes: Meter
            let segments: Meter
        }

        init(_ factory: any MetricsFactory, store: String) {
            self.factory = factory
            let dimensions = [("store", store)]
            self.dimensions = dimensions
            func meter(_ label: String) -> Meter { Meter(label: label, dimensions: dimensions, factory: factory) }
            totals = TotalDefinition.all.map {
                Counter(label: $0.label, dimensions: dimensions + $0.dimensions, factory: factory)
            }
            durations = DurationDefinition.all.map {
                FloatingPointCounter(label: $0.label, dimensions: dimensions, factory: factory)
            }
            gauges = GaugeDefinition.all.map { meter($0.label) }
            recovery = [MetricLabel.replayedBatches, MetricLabel.replayedBytes, MetricLabel.droppedBytes].map(meter)
            hitRatio = meter(MetricLabel.cacheHitRatio)
            flushes = CoreMetrics.Timer(
                label: MetricLabel.flushDuration, dimensions: dimensions, factory: factory)
            purgedEntries = Counter(label: MetricLabel.purgedEntries, dimensions: dimensions, factory: factory)
        }

        /// Records what opening found in the logs.
        func record(_ report: RecoveryReport) {
            for (gauge, value) in zip(recovery, [report.replayedBatches, report.replayedBytes, report.droppedBytes]) {
                gauge.set(Double(value))
            }
        }

        /// Records a sample: totals as their growth since the sample before, everything else as it is.
        func record(_ figures: StoreFigures) {
            state.withLock { state in
                let last = state.last
                state.last = figures
                for (counter, definition) in zip(totals, TotalDefinition.all) {
                    let growth = definition.value(figures) &- (last.map(definition.value) ?? 0)
                    if growth > 0 { counter.increment(by: Int64(clamping: growth)) }
                }
                for (counter, definition) in zip(durations, DurationDefinition.all) {
                    let growth = definition.value(figures) - (last.map(definition.value) ?? .zero)
                    if growth > .zero { counter.increment(by: growth.inSeconds) }
                }
                for (gauge, definition) in zip(gauges, GaugeDefinition.all) {
                    if let value = definition.value(figures) { gauge.set(value) }
                }
                recordHitRatio(figures.statistics, last?.statistics)
                for level in figures.statistics.levels { record(level, &state) }
            }
        }

        /// The hits of all lookups since the sample before; without a lookup the gauge stays as it is.
        private func recordHitRatio(_ newer: Engine.Statistics, _ older: Engine.Statistics?) {
            let hits = newer.cacheHits &- (older?.cacheHits ?? 0)
            let lookups = hits &+ newer.cacheMisses &- (older?.cacheMisses ?? 0)
            if lookups > 0 { hitRatio.set(Double(hits) / Double(lookups)) }
        }

        private func record(_ level: LevelStatistics, _ state: inout State) {
            while state.levels.count <= level.level {
                let dimensions = dimensions + [("level", "\(state.levels.count)")]
                state.levels.append(
                    LevelGauges(
                        storedBytes: Meter(label: MetricLabel.levelBytes, dimensions: dimensions, factory: factory),
                        segments: Meter(label: MetricLabel.levelSegments, dimensions: dimensions, factory: factory)))
            }
            state.levels[level.level].storedBytes.set(Double(level.storedBytes))
            state.levels[level.level].segments.set(Double(level.segments))
        }

        func record(_ event: Engine.Event) {
            switch event {
            case .flushed(_, let duration): flushes.recordNanoseconds(duration.inNanoseconds)
            case .compacted(let compaction):
                timer(ofKind: compaction.kind).recordNanoseconds(compaction.duration.inNanoseconds)
            case .backgroundFailure, .spaceExhausted, .spaceReturned, .clockDoubted, .clockSetBack, .pinHeld:
                // Totals and gauges of the samples have them.
                break
            }
        }

        func record(_ event: PurgeEvent) {
            switch event {
            case .applied(let report):
                purgedEntries.increment(by: Int64(clamping: report.entries))
                counter(ofOutcome: OperationOutcome.success.name).increment()
            case .failed(let error): counter(ofOutcome: OperationOutcome(error).name).increment()
            }
        }

        private func timer(ofKind kind: String) -> CoreMetrics.Timer {
            state.withLock { state in
                if let timer = state.compactions[kind] { return timer }
                let timer = CoreMetrics.Timer(
                    label: MetricLabel.compactionDuration, dimensions: dimensions + [("kind", kind)], factory: factory)
                state.compactions[kind] = timer
                return timer
            }
        }

        private func counter(ofOutcome outcome: String) -> Counter {
            state.withLock { state in
                if let counter = state.purges[outcome] { return counter }
                let counter = Counter(
                    label: MetricLabel.purges, dimensions: dimensions + [("outcome", outcome)], factory: factory)
                state.purges[outcome] = counter
                return counter
            }
        }

        /// Takes the gauges away, which would show the past as the present. Totals and durations stay.
        func end() {
            for gauge in gauges + recovery + [hitRatio] { gauge.destroy() }
            for level in state.withLock({ state in state.levels }) {
                level.storedBytes.destroy()
                level.segments.destroy()
            }
        }
    }

    extension Duration {
        var inNanoseconds: Int64 {
            let seconds = components.seconds.multipliedReportingOverflow(by: 1_000_000_000)
            let sum = seconds.partialValue.addingReportingOverflow(components.attoseconds / 1_000_000_000)
            return seconds.overflow || sum.overflow ? .max : sum.partialValue
        }
    }
#endif
