#if Logging && Metrics && Tracing && ServiceLifecycle
    import InMemoryLogging
    import Logging
    import ShaleBase
    import ShalePlatform
    import ShaleSimulation
    import Testing

    @testable import Shale
    @testable import ShaleEngine
    @testable import ShaleObservability

    /// Lines of real stores.
    @Suite struct StoreLogTests {
        private let fixture = ObservedFixture()

        @Test func theLifeOfAStoreIsDebugAndItsWorkIsTrace() async throws {
            let observed = try fixture.observed()
            try observed.store.common["n"].set(1, forKey: "k")
            try await observed.flush()
            try await observed.compact()
            try await observed.close()
            #expect(fixture.messages(.debug) == ["store opened", "store closed"])
            #expect(Set(fixture.messages(.trace)) == ["memtable flushed", "segments compacted"])
            let flush = try #require(fixture.line("memtable flushed"))
            #expect(flush.metadata["shale.store"] == "test" && flush.metadata["shale.entries"] == "1")
            #expect(fixture.log.entries.count == 4)
        }

        @Test func recoveryIsInTheLineOfOpening() async throws {
            let store = try fixture.store()
            try store.common["n"].set(1, forKey: "k")
            let after = fixture.files.crashClone(.processKill, seed: 3)
            let again = try Store(
                at: "/store", options: store.options, environment: EngineEnvironment(fileSystem: after))
            let observed = ObservedStore(again, observation: fixture.observation)
            try await observed.close()
            let opened = try #require(fixture.line("store opened"))
            #expect(opened.metadata["shale.recovery.batches"] == "1")
            try await store.close()
        }

        @Test func noLineHasAKeyAValueOrAUser() async throws {
            let secrets = ["k3y", "v4lue", "us3r", "n4me"]
            let observed = try fixture.observed()
            let namespace = observed.store.user("us3r")["n4me"]
            try namespace.set("v4lue", forKey: "k3y")
            _ = namespace[Key<Int>("k3y", default: 0)]
            try namespace.set(WrittenValue(mode: "v4lue"), forKey: "k3y-2")
            _ = namespace[Key<RefusingValue>("k3y-2", default: RefusingValue(mode: .known))]
            await #expect(throws: StorageError.self) {
                try await observed.transaction { transaction in
                    _ = try transaction.value(forKey: "k3y", in: namespace, as: Int.self)
                }
            }
            try await observed.flush()
            await fixture.clock.tick()
            try await observed.close()
            #expect(fixture.line("subscripts could not throw errors")?.metadata["shale.failed_reads"] == "2")
            #expect(fixture.line("operation failed")?.metadata["shale.error.code"] == "typeMismatch")
            let text = fixture.log.entries.map {
                "\($0.message) \($0.metadata) \($0.error.map(String.init(describing:)) ?? "")"
            }.joined()
            for secret in secrets { #expect(!text.contains(secret)) }
        }

        @Test func aPoisonedStoreIsOneErrorLine() async throws {
            let observed = try fixture.observed()
            let namespace = observed.store.common["n"]
            try namespace.set(0, forKey: "k")
            fixture.files.inject(FaultRule(on: [.sync], path: "*.wal", when: .match(1), .error(5)))
            await #expect(throws: StorageError.self) { try await observed.sync() }
            for _ in 0..<3 { await fixture.clock.tick() }
            #expect(fixture.messages(.error) == ["the log failed: the store refuses writes until it is opened again"])
            #expect(fixture.gauge("shale_poisoned") == 1)
            await #expect(throws: StorageError.self) { try await observed.close() }
        }

        @Test func aLoggerOfAHigherLevelGetsNothing() async throws {
            var observation = fixture.observation
            observation.logger?.logLevel = .info
            let observed = ObservedStore(try fixture.store(), observation: observation)
            try observed.store.common["n"].set(1, forKey: "k")
            try await observed.flush()
            try await observed.close()
            #expect(fixture.log.entries.isEmpty)
        }

        @Test func theObservationOfOneOpeningEndsWithIt() async throws {
            let other = try fixture.store()
            let observed = try fixture.observed()
            try await observed.close()
            #expect(fixture.messages(.debug) == ["store opened", "observation ended"])
            try other.common["n"].set(1, forKey: "k")
            try await other.close()
        }
    }
#endif
