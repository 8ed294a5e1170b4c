#if Logging && Metrics && Tracing && ServiceLifecycle
    import CoreMetrics
    import Foundation
    import MetricsTestKit
    import ShaleBase
    import ShalePlatform
    import ShaleSimulation
    import Testing

    @testable import Shale
    @testable import ShaleObservability

    /// Samples of a store as metrics.
    @Suite struct StoreMetricsTests {
        private let fixture = ObservedFixture()

        @Test func totalsGrowByWhatHappenedBetweenSamples() async throws {
            let observed = try fixture.observed()
            let namespace = observed.store.common["n"]
            for i in 0..<5 { try namespace.set(i, forKey: "k\(i)", durability: .synced) }
            await fixture.clock.tick()
            let operations = fixture.total("shale_operations_total")
            #expect(operations >= 5)
            #expect(fixture.total("shale_syncs_total") >= 5)
            await fixture.clock.tick()
            #expect(fixture.total("shale_operations_total") == operations)
            for i in 0..<3 { try namespace.set(i, forKey: "k\(i)") }
            await fixture.clock.tick()
            #expect(fixture.total("shale_operations_total") == operations + 3)
            try await observed.close()
        }

        @Test func theLastSampleHasTheTotalsOfClosing() async throws {
            let observed = try fixture.observed()
            try observed.store.common["n"].set(1, forKey: "k")
            try await observed.close()
            #expect(fixture.total("shale_flushes_total") == 1)
            #expect(fixture.metrics.timers(label: "shale_flush_duration_seconds").first?.values.count == 1)
        }

        @Test func gaugesShowTheTreeTheCacheAndTheDisk() async throws {
            let observed = try fixture.observed()
            let namespace = observed.store.common["n"]
            for i in 0..<100 { try namespace.set(i, forKey: "k\(i)") }
            try await observed.flush()
            let snapshot = try observed.store.snapshot()
            for _ in 0..<2 { for i in 0..<100 { #expect(try namespace.int(forKey: "k\(i)") == i) } }
            await fixture.clock.tick()
            #expect(fixture.gauge("shale_level_segments", ("level", "0")) == 1)
            #expect(fixture.gauge("shale_level_segments", ("level", "6")) == 0)
            #expect(fixture.gauge("shale_stored_bytes") == fixture.gauge("shale_level_stored_bytes", ("level", "0")))
            #expect(try #require(fixture.gauge("shale_disk_bytes")) > 0)
            #expect(try #require(fixture.gauge("shale_cache_bytes")) > 0)
            #expect(try #require(fixture.gauge("shale_cache_hit_ratio")) > 0.9)
            #expect(fixture.gauge("shale_snapshots") == 1)
            #expect(fixture.gauge("shale_compaction_debt_bytes") == 0)
            #expect(fixture.gauge("shale_poisoned") == 0)
            withExtendedLifetime(snapshot) {}
            try await observed.close()
        }

        @Test func gaugesEndWithTheStoreAndTotalsStay() async throws {
            let observed = try fixture.observed()
            await fixture.clock.tick()
            #expect(fixture.gauge("shale_recovery_replayed_batches") == 0)
            try await observed.close()
            #expect(fixture.metrics.meters.isEmpty)
            #expect(!fixture.metrics.counters(label: "shale_operations_total").isEmpty)
        }

        @Test func anObservationThatIsReleasedEnds() async throws {
            let store = try fixture.store()
            do {
                let observed = ObservedStore(store, observation: fixture.observation)
                await fixture.clock.tick()
                withExtendedLifetime(observed) {}
            }
            // The clock has no sleeper once the task is cancelled.
            await fixture.clock.tick()
            try store.common["n"].set(1, forKey: "k")
            try await store.close()
        }

        @Test func everyMetricStandsInTheArticle() throws {
            let catalogue = "../../../../Sources/Kit/Observability/ShaleObservability.docc"
            let article = URL(fileURLWithPath: #filePath)
                .appendingPathComponent(catalogue + "/ObservingAStore.md").standardizedFileURL
            let text = try String(contentsOf: article, encoding: .utf8)
            let labels =
                TotalDefinition.all.map(\.label) + DurationDefinition.all.map(\.label)
                + GaugeDefinition.all.map(\.label) + MetricLabel.all + [OperationTimers.label]
            let documented = text.matches(of: /`(shale_[a-z0-9_]+)/).map { String($0.1) }
            #expect(Set(documented) == Set(labels))
        }
    }
#endif
