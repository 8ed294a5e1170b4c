#if Logging && Metrics && Tracing && ServiceLifecycle
    import InMemoryLogging
    import Logging
    import ShaleBase
    import ShalePlatform
    import Testing

    @testable import Shale
    @testable import ShaleEngine
    @testable import ShaleObservability

    /// The lines of single events, and their limit.
    @Suite struct EventLineTests {
        private let fixture = ObservedFixture()
        private let log: StoreLog

        init() throws {
            let logger = try #require(fixture.observation.logger)
            log = StoreLog(logger, store: "test", time: fixture.time)
        }

        @Test func eachEventHasItsLevel() {
            let error = StorageError(.noSpace, "no room")
            let events: [(Engine.Event, Logger.Level)] = [
                (.flushed(entries: 1, duration: .seconds(1)), .trace), (.backgroundFailure(error), .info),
                (.spaceExhausted, .warning), (.spaceReturned, .info), (.clockDoubted(.ahead(by: .seconds(1))), .info),
                (.clockSetBack(by: .seconds(1)), .info), (.pinHeld(for: .seconds(11), retiredBytes: 5), .info),
            ]
            for (event, level) in events {
                log.write(event)
                #expect(fixture.log.entries.last?.level == level, "\(event)")
            }
            log.write(PurgeEvent.failed(error))
            #expect(fixture.log.entries.last?.level == .info)
            #expect(fixture.log.entries.last?.metadata["shale.error.code"] == "noSpace")
            #expect((fixture.log.entries.last?.error as? StorageError)?.code == .noSpace)
        }

        @Test func recoveryThatLostOrRisksSomethingIsMoreThanDebug() {
            var report = RecoveryReport()
            log.opened(report)
            #expect(fixture.log.entries.map(\.level) == [.debug])
            report.droppedBytes = 7
            report.unremovedFiles = 2
            report.isOpenToOthers = true
            report.isOutOfSpace = true
            report.discardedClock = .seconds(3)
            log.opened(report)
            #expect(fixture.log.entries.dropFirst().map(\.level) == [.debug, .info, .info, .warning, .warning, .info])
            #expect(
                fixture.line("the end of a log was torn and is dropped")?
                    .metadata["shale.recovery.dropped_bytes"] == "7")
        }

        @Test func linesOfOneKindAreLimitedAndTheNextLineCountsTheRest() {
            let error = StorageError(.ioFailure, "broken")
            for _ in 0..<100 { log.write(Engine.Event.backgroundFailure(error)) }
            log.write(Engine.Event.spaceReturned)
            #expect(fixture.messages(.info).count == LineLimit.linesMax + 1)
            fixture.time.advance(milliseconds: 60_000)
            log.write(Engine.Event.backgroundFailure(error))
            #expect(fixture.line("background work failed")?.metadata["shale.suppressed"] == "90")
            log.write(Engine.Event.backgroundFailure(error))
            #expect(fixture.line("background work failed")?.metadata["shale.suppressed"] == nil)
        }

        @Test func theLastLineCountsWhatNoLaterLineReported() {
            for _ in 0..<15 { log.write(Engine.Event.spaceReturned) }
            log.ended(isClosed: true)
            #expect(fixture.line("store closed")?.metadata["shale.suppressed.total"] == "5")
        }
    }
#endif
