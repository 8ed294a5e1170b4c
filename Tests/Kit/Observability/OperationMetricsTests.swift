#if Logging && Metrics && Tracing && ServiceLifecycle
    import CoreMetrics
    import MetricsTestKit
    import ShaleBase
    import ShalePlatform
    import Testing

    @testable import Shale
    @testable import ShaleObservability

    private struct NotEnough: Error {}

    /// Durations of the operations that wait.
    @Suite struct OperationMetricsTests {
        private let fixture = ObservedFixture()

        @Test func eachOutcomeHasItsOwnDurations() async throws {
            let observed = try fixture.observed()
            let namespace = observed.store.common["n"]
            try await observed.sync()
            try fixture.blocking { try observed.sync() }
            try await observed.write(durability: .synced) { try $0.set(1, forKey: "k", in: namespace) }
            try await observed.transaction { try $0.set(1, forKey: "k", in: namespace) }
            await #expect(throws: NotEnough.self) {
                try await observed.transaction { _ in throw NotEnough() }
            }
            await #expect(throws: StorageError.self) { try await observed.checkpoint(at: "") }
            try await observed.close()
            #expect(fixture.durations("sync", "ok") == 2)
            #expect(fixture.durations("write", "ok") == 1)
            #expect(fixture.durations("transaction", "ok") == 1)
            #expect(fixture.durations("transaction", "caller") == 1)
            #expect(fixture.durations("close", "ok") == 1)
            let failed = fixture.metrics.timers.filter { timer in
                timer.dimensions.contains { $0 == ("operation", "checkpoint") }
            }
            #expect(failed.count == 1 && fixture.durations("checkpoint", "ok") == 0)
        }

        @Test func durationsAreThoseOfTheStoresClock() throws {
            let observed = try fixture.observed()
            observed.measure(.backup) { fixture.time.advance(milliseconds: 1500) }
            let timer = try fixture.metrics.expectTimer(
                "shale_operation_duration_seconds",
                [("store", "test"), ("operation", "backup"), ("outcome", "ok")])
            #expect(timer.values == [1_500_000_000])
            try observed.close()
        }

        @Test func aBufferedWriteIsNotMeasured() async throws {
            let observed = try fixture.observed()
            let namespace = observed.store.common["n"]
            try fixture.blocking { try observed.write { try $0.set(1, forKey: "k", in: namespace) } }
            try await observed.write(durability: .buffered) { try $0.set(1, forKey: "k", in: namespace) }
            #expect(fixture.metrics.timers.allSatisfy { $0.values.isEmpty } && fixture.spans.isEmpty)
            try await observed.close()
        }

        @Test func aCancelledOperationHasAnOutcomeOfItsOwn() async throws {
            let observed = try fixture.observed()
            let task = Task {
                unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
                try await observed.sync()
            }
            await #expect(throws: StorageError.self) { try await task.value }
            #expect(fixture.durations("sync", "cancelled") == 1)
            try await observed.close()
        }
    }
#endif
