#if Logging
    import Logging
    import ShaleBase
    import ShalePlatform

    /// Writes the events of a store as lines. Thread-safe.
    ///
    /// A line has a fixed message and its figures as metadata. Neither ever has a key, a value, a user's id or a
    /// secret: errors of the store name files and offsets, and namespaces are left out.
    final class StoreLog: Sendable {
        private struct State: Sendable {
            var limit = LineLimit()
            var isPoisoned = false
            var isReduced = false
            var failedReads = 0
            var failedWrites = 0
        }

        private let logger: Logger
        private let time: any TimeSource
        private let state = Locked(State())

        init(_ logger: Logger, store: String, time: any TimeSource) {
            var logger = logger
            logger[metadataKey: "shale.store"] = "\(store)"
            self.logger = logger
            self.time = time
        }

        /// Writes a line, unless too many of its kind were written.
        func write(
            _ level: Logger.Level, _ message: Logger.Message, error: StorageError? = nil,
            _ figures: Logger.Metadata = [:]
        ) {
            guard level >= logger.logLevel else { return }
            let now = time.monotonicNanoseconds
            guard let suppressed = state.withLock({ $0.limit.admit(message.description, at: now) }) else { return }
            var metadata = figures
            if let error { metadata["shale.error.code"] = "\(error.code.rawValue)" }
            if suppressed > 0 { metadata["shale.suppressed"] = "\(suppressed)" }
            logger.log(level: level, message, error: error?.withoutValues, metadata: metadata)
        }

        // MARK: The life of the store

        func opened(_ report: RecoveryReport) {
            write(
                .debug, "store opened",
                [
                    "shale.recovery.batches": "\(report.replayedBatches)",
                    "shale.recovery.bytes": "\(report.replayedBytes)",
                    "shale.recovery.removed_files": "\(report.removedFiles)",
                ])
            if report.droppedBytes > 0 {
                write(
                    .info, "the end of a log was torn and is dropped",
                    ["shale.recovery.dropped_bytes": "\(report.droppedBytes)"])
            }
            if report.unremovedFiles > 0 {
                write(
                    .info, "files without use could not be removed",
                    ["shale.recovery.unremoved_files": "\(report.unremovedFiles)"])
            }
            if report.isOutOfSpace { write(.warning, "the store was opened without space for its log") }
            if report.isOpenToOthers { write(.warning, "other users have access to the directory of the store") }
            if report.discardedClock > .zero { clockSetBack(report.discardedClock) }
            if let doubt = report.clockDoubt { clockDoubted(doubt) }
        }

        func ended(isClosed: Bool) {
            let suppressed = state.withLock { $0.limit.suppressed }
            write(
                .debug, isClosed ? "store closed" : "observation ended",
                suppressed > 0 ? ["shale.suppressed.total": "\(suppressed)"] : [:])
        }

        // MARK: Health

        /// Writes what has changed since the last call.
        func write(_ health: Store.Health) {
            let (isPoisoned, isReduced, reads, writes) = state.withLock { state in
                defer {
                    state.isPoisoned = health.isPoisoned
                    state.isReduced = health.durabilityIsReduced
                    state.failedReads = health.failedReads
                    state.failedWrites = health.failedWrites
                }
                return (
                    health.isPoisoned && !state.isPoisoned, health.durabilityIsReduced && !state.isReduced,
                    health.failedReads - state.failedReads, health.failedWrites - state.failedWrites
                )
            }
            if isPoisoned { write(.error, "the log failed: the store refuses writes until it is opened again") }
            if isReduced { write(.warning, "the file system refuses the strongest sync") }
            guard reads + writes > 0 else { return }
            write(
                .info, "subscripts could not throw errors", error: health.failures.last?.error,
                ["shale.failed_reads": "\(reads)", "shale.failed_writes": "\(writes)"])
        }

        func clockDoubted(_ doubt: ClockDoubt) {
            write(.info, "the wall clock jumped; nothing is removed by its readings yet", ["shale.clock": "\(doubt)"])
        }

        func clockSetBack(_ duration: Duration) {
            write(.info, "the time of readers was set back", ["shale.duration": "\(duration)"])
        }
    }
#endif
