#if Logging && Metrics && Tracing && ServiceLifecycle
    import Dispatch
    import Foundation
    import InMemoryTracing
    import ShaleBase
    import ShalePlatform
    import Testing
    import Tracing

    @testable import Shale
    @testable import ShaleObservability

    private struct Refused: Error {
        let secret = "v4lue"
    }

    /// Spans around the operations that wait.
    @Suite struct StoreSpanTests {
        private let fixture = ObservedFixture()

        private var names: [String] { fixture.spans.map(\.operationName) }

        @Test func everyWaitingOperationHasASpan() async throws {
            let path = FileManager.default.temporaryDirectory.path + "/shale-spans-\(UUID().uuidString)"
            defer { for end in ["", "-copy"] { try? FileManager.default.removeItem(atPath: path + end) } }
            let observed = try await ObservedStore.open(at: path, observation: fixture.observation)
            let namespace = observed.store.common["n"]
            try await observed.write(durability: .synced) { try $0.set(1, forKey: "k", in: namespace) }
            try await observed.transaction(durability: .synced) { try $0.set(2, forKey: "k", in: namespace) }
            try await observed.sync()
            try await observed.flush()
            try await observed.compact()
            try await observed.purge()
            try await observed.checkpoint(at: path + "-copy")
            try await observed.measure(.verify) { () async throws(StorageError) in
                try await observed.store.engine.verify()
            }
            try await observed.close()
            let expected = [
                "open", "write", "transaction", "sync", "flush", "compact", "purge", "checkpoint", "verify", "close",
            ]
            #expect(names == expected.map { "shale.\($0)" })
            let span = try #require(fixture.spans.first)
            #expect(span.attributes.get("db.system.name") == .string("shale"))
            #expect(span.attributes.get("db.namespace") == .string("test"))
            #expect(span.attributes.get("db.operation.name") == .string("open"))
            #expect(fixture.spans.allSatisfy { $0.errors.isEmpty && $0.status == nil })
        }

        @Test func everyBlockingOperationHasASpan() throws {
            let path = FileManager.default.temporaryDirectory.path + "/shale-spans-\(UUID().uuidString)"
            defer { for end in ["", "-copy"] { try? FileManager.default.removeItem(atPath: path + end) } }
            let observed = try ObservedStore(at: path, observation: fixture.observation)
            let namespace = observed.store.common["n"]
            try observed.write(durability: .synced) { try $0.set(1, forKey: "k", in: namespace) }
            try observed.transaction(durability: .synced) { try $0.set(2, forKey: "k", in: namespace) }
            try observed.sync()
            try observed.flush()
            try observed.compact()
            try observed.purge()
            try observed.checkpoint(at: path + "-copy")
            try observed.close()
            let expected = ["open", "write", "transaction", "sync", "flush", "compact", "purge", "checkpoint", "close"]
            #expect(names == expected.map { "shale.\($0)" })
        }

        @Test func spansHangTogetherThroughTheTask() async throws {
            let observed = try fixture.observed()
            let namespace = observed.store.common["n"]
            let tracer = fixture.tracer
            try await tracer.withSpan("request") { _ in
                try await observed.transaction(durability: .synced) { transaction in
                    try tracer.withSpan("body") { _ in try transaction.set(1, forKey: "k", in: namespace) }
                }
                try fixture.blocking { try observed.sync() }
            }
            try await observed.close()
            let spans = Dictionary(uniqueKeysWithValues: fixture.spans.map { ($0.operationName, $0) })
            let request = try #require(spans["request"])
            let transaction = try #require(spans["shale.transaction"])
            #expect(transaction.parentSpanID == request.spanID)
            #expect(spans["body"]?.parentSpanID == transaction.spanID)
            #expect(spans["shale.sync"]?.parentSpanID == request.spanID)
            #expect(spans["shale.close"]?.parentSpanID == nil)
        }

        @Test func errorsOfTheStoreAreRecordedAndThoseOfCallersOnlyByType() async throws {
            let observed = try fixture.observed()
            let namespace = observed.store.common["n"]
            try namespace.set("text", forKey: "k")
            await #expect(throws: StorageError.self) {
                try await observed.transaction { transaction in
                    _ = try transaction.value(forKey: "k", in: namespace, as: Int.self)
                }
            }
            try namespace.set(WrittenValue(mode: "v4lue"), forKey: "coded")
            await #expect(throws: StorageError.self) {
                try await observed.transaction { transaction in
                    _ = try transaction.value(forKey: "coded", in: namespace, as: RefusingValue.self)
                }
            }
            await #expect(throws: Refused.self) { try await observed.transaction { _ in throw Refused() } }
            try await observed.close()
            let (first, coded, second) = (fixture.spans[0], fixture.spans[1], fixture.spans[2])
            let quoted = try #require(coded.errors.first?.error as? StorageError)
            #expect(quoted.code == .codecFailure && !quoted.description.contains("v4lue"))
            #expect((first.errors.first?.error as? StorageError)?.code == .typeMismatch)
            #expect(first.attributes.get("error.type") == .string("typeMismatch"))
            #expect(first.status?.code == .error && second.status?.code == .error)
            #expect(second.errors.isEmpty)
            #expect("\(String(describing: second.attributes.get("error.type")))".contains("Refused"))
            #expect(!"\(String(describing: second.attributes.get("error.type")))".contains("v4lue"))
        }

        @Test @MainActor func bodiesRunWhereTheCallerRuns() async throws {
            let observed = try fixture.observed()
            let namespace = observed.store.common["n"]
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            var areOnMain: [Bool?] = []
            try await observed.write(durability: .synced) { batch in
                areOnMain.append(DispatchQueue.getSpecific(key: key))
                try batch.set(1, forKey: "k", in: namespace)
            }
            try await observed.transaction { transaction in
                areOnMain.append(DispatchQueue.getSpecific(key: key))
                try transaction.set(2, forKey: "k", in: namespace)
            }
            await observed.measure(.verify) { () async in areOnMain.append(DispatchQueue.getSpecific(key: key)) }
            #expect(areOnMain == [true, true, true])
            DispatchQueue.main.setSpecific(key: key, value: nil)
            try await observed.close()
        }

        @Test func aFailedOpeningHasASpan() async throws {
            var options = Store.Options()
            options.engine.mode = .openExisting
            await #expect(throws: StorageError.self) {
                try await ObservedStore.open(
                    at: "/nowhere/shale", options: options, observation: fixture.observation)
            }
            #expect(names == ["shale.open"])
            #expect(fixture.spans.first?.attributes.get("error.type") == .string("missing"))
        }

        @Test func withoutATracerTheBodyKeepsItsContext() async throws {
            var observation = fixture.observation
            observation.tracer = nil
            let observed = ObservedStore(try fixture.store(), observation: observation)
            let namespace = observed.store.common["n"]
            let tracer = fixture.tracer
            try tracer.withSpan("request") { _ in
                try observed.transaction { transaction in
                    try tracer.withSpan("body") { _ in try transaction.set(1, forKey: "k", in: namespace) }
                }
            }
            #expect(names == ["body", "request"])
            #expect(fixture.spans[0].parentSpanID == fixture.spans[1].spanID)
            try await observed.close()
        }
    }
#endif
