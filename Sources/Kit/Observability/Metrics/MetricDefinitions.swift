#if Metrics
    import ShaleBase

    /// A total of the store, exported as a counter.
    struct TotalDefinition: Sendable {
        let label: String
        let dimensions: [(String, String)]
        let value: @Sendable (StoreFigures) -> UInt64

        private init(
            _ label: String, _ dimensions: [(String, String)] = [],
            _ value: @escaping @Sendable (StoreFigures) -> UInt64
        ) {
            self.label = label
            self.dimensions = dimensions
            self.value = value
        }

        static let all = [
            TotalDefinition("shale_batches_total") { $0.statistics.batches },
            TotalDefinition("shale_operations_total") { $0.statistics.operations },
            TotalDefinition("shale_written_bytes_total") { $0.statistics.userBytes },
            TotalDefinition("shale_syncs_total") { $0.statistics.syncs },
            TotalDefinition("shale_log_bytes_total") { $0.statistics.logBytes },
            TotalDefinition("shale_flushes_total") { $0.statistics.flushes },
            TotalDefinition("shale_flushed_bytes_total") { $0.statistics.flushedBytes },
            TotalDefinition("shale_compactions_total", [("kind", "merge")]) { $0.statistics.compactions },
            TotalDefinition("shale_compactions_total", [("kind", "move")]) { $0.statistics.moves },
            TotalDefinition("shale_compactions_total", [("kind", "drop")]) { $0.statistics.drops },
            TotalDefinition("shale_compaction_read_bytes_total") { $0.statistics.compactionReadBytes },
            TotalDefinition("shale_compaction_written_bytes_total") { $0.statistics.compactionWrittenBytes },
            TotalDefinition("shale_cache_hits_total") { $0.statistics.cacheHits },
            TotalDefinition("shale_cache_misses_total") { $0.statistics.cacheMisses },
            TotalDefinition("shale_delayed_writes_total") { $0.statistics.stalls.delayedWrites },
            TotalDefinition("shale_stopped_writes_total") { $0.statistics.stalls.stoppedWrites },
            TotalDefinition("shale_background_failures_total") { $0.statistics.backgroundFailures },
            TotalDefinition("shale_space_shortages_total") { $0.statistics.spaceShortages },
            TotalDefinition("shale_descriptor_shortages_total") { $0.statistics.descriptorShortages },
            TotalDefinition("shale_long_pins_total") { $0.statistics.longPins },
            TotalDefinition("shale_clock_corrections_total") { $0.statistics.clockCorrections },
            TotalDefinition("shale_revoked_files_total") { $0.statistics.revokedFiles },
            TotalDefinition("shale_subscript_failures_total", [("access", "read")]) { UInt64($0.failedReads) },
            TotalDefinition("shale_subscript_failures_total", [("access", "write")]) { UInt64($0.failedWrites) },
        ]
    }

    /// A total of seconds, exported as a counter of fractions.
    struct DurationDefinition: Sendable {
        let label: String
        let value: @Sendable (StoreFigures) -> Duration

        static let all = [
            DurationDefinition(label: "shale_delay_seconds_total") { $0.statistics.stalls.delayTime },
            DurationDefinition(label: "shale_stop_seconds_total") { $0.statistics.stalls.stopTime },
        ]
    }

    /// A present figure, exported as a gauge. `nil` leaves the gauge as it is.
    struct GaugeDefinition: Sendable {
        let label: String
        let value: @Sendable (StoreFigures) -> Double?

        static let all = [
            GaugeDefinition(label: "shale_write_pressure_ratio") { $0.statistics.pressure },
            GaugeDefinition(label: "shale_compaction_debt_bytes") { Double($0.statistics.compactionDebtBytes) },
            GaugeDefinition(label: "shale_memtable_bytes") { Double($0.statistics.memtableBytes) },
            GaugeDefinition(label: "shale_immutable_memtables") { Double($0.statistics.immutableMemtables) },
            GaugeDefinition(label: "shale_cache_bytes") { Double($0.statistics.cacheBytes) },
            GaugeDefinition(label: "shale_cache_capacity_bytes") { Double($0.statistics.cacheCapacityBytes) },
            GaugeDefinition(label: "shale_table_bytes") { Double($0.statistics.tableBytes) },
            GaugeDefinition(label: "shale_retired_bytes") { Double($0.statistics.retiredBytes) },
            GaugeDefinition(label: "shale_stored_bytes") { Double($0.statistics.storedBytes) },
            GaugeDefinition(label: "shale_held_bytes") { Double($0.statistics.heldBytes) },
            GaugeDefinition(label: "shale_held_states") { Double($0.statistics.heldStates) },
            GaugeDefinition(label: "shale_reader_bytes") { Double($0.statistics.readerBytes) },
            GaugeDefinition(label: "shale_reader_seconds") { $0.statistics.readerAge.inSeconds },
            GaugeDefinition(label: "shale_disk_bytes") { $0.diskBytes.map(Double.init) },
            GaugeDefinition(label: "shale_disk_free_bytes") { $0.freeBytes.map(Double.init) },
            GaugeDefinition(label: "shale_snapshots") { Double($0.statistics.snapshots) },
            GaugeDefinition(label: "shale_oldest_snapshot_seconds") { $0.statistics.oldestSnapshotAge.inSeconds },
            GaugeDefinition(label: "shale_oldest_pin_seconds") { $0.statistics.oldestPinAge.inSeconds },
            GaugeDefinition(label: "shale_poisoned") { $0.statistics.isPoisoned ? 1 : 0 },
            GaugeDefinition(label: "shale_out_of_space") { $0.statistics.isOutOfSpace ? 1 : 0 },
            GaugeDefinition(label: "shale_durability_reduced") { $0.statistics.durabilityIsReduced ? 1 : 0 },
            GaugeDefinition(label: "shale_clock_doubted") { $0.statistics.clockDoubt == nil ? 0 : 1 },
        ]
    }

    /// The labels of what is not read from a sample of totals and gauges.
    enum MetricLabel {
        static let cacheHitRatio = "shale_cache_hit_ratio"
        static let levelBytes = "shale_level_stored_bytes"
        static let levelSegments = "shale_level_segments"
        static let replayedBatches = "shale_recovery_replayed_batches"
        static let replayedBytes = "shale_recovery_replayed_bytes"
        static let droppedBytes = "shale_recovery_dropped_bytes"
        static let flushDuration = "shale_flush_duration_seconds"
        static let compactionDuration = "shale_compaction_duration_seconds"
        static let purges = "shale_background_purges_total"
        static let purgedEntries = "shale_background_purged_entries_total"

        static let all = [
            cacheHitRatio, levelBytes, levelSegments, replayedBatches, replayedBytes, droppedBytes, flushDuration,
            compactionDuration, purges, purgedEntries,
        ]
    }

    extension Duration {
        var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
    }
#endif
