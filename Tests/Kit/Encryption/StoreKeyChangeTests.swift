#if Encryption
    import ShaleEncryption
    import ShaleSimulation
    import TestSupport
    import Testing

    @testable import Shale

    /// Changing the data keys of all namespaces ends, reports progress, and survives an interruption at
    /// any point.
    @Suite struct StoreKeyChangeTests {
        private static let names = ["a", "b", "c"]
        private static let entries = 6

        private static func fill(_ store: Store, count: Int = entries) throws(StorageError) {
            for name in names {
                for index in 0..<count {
                    try store.common[name].set("\(name)\(index)", forKey: "k\(index)", options: .encrypted)
                }
            }
            try store.user("u")["a"].set("u", forKey: "k", options: .encrypted)
            try store.common["plain"].set(1, forKey: "k")
        }

        private static func expectValues(_ store: Store, count: Int = entries, _ place: String = "") throws {
            for name in names {
                for index in 0..<count {
                    let value = try store.common[name].value(forKey: "k\(index)", as: String.self)
                    #expect(value == "\(name)\(index)", "\(place)")
                }
            }
            #expect(try store.user("u")["a"].value(forKey: "k", as: String.self) == "u", "\(place)")
        }

        private static func dataKey(_ fixture: EncryptedFixture, _ name: String) throws -> UInt8 {
            try fixture.stored("k1", in: fixture[name])[3]
        }

        @Test func everyNamespaceEndsUnderItsNewKey() throws {
            let fixture = try EncryptedFixture()
            try Self.fill(fixture.store, count: 200)
            var fractions: [Double] = []
            let report = try fixture.store.changeDataKeys { (step) in fractions.append(step.fraction) }
            #expect(report == KeyChangeReport(rewritten: 601, isResumed: false))
            #expect(fractions.count > 9 && fractions == fractions.sorted() && fractions.last == 1)
            #expect(try !fixture.store.hasUnfinishedKeyChange)
            for name in Self.names { #expect(try Self.dataKey(fixture, name) == 2) }
            try fixture.reopen()
            try Self.expectValues(fixture.store, count: 200)
        }

        @Test func aCancelledChangeIsFinishedWhereItStopped() throws {
            let fixture = try EncryptedFixture()
            try Self.fill(fixture.store, count: 200)
            #expect(
                code { () throws(StorageError) in
                    try fixture.store.changeDataKeys { (step) throws(StorageError) in
                        if step.rewritten > 300 { throw StorageError(.cancelled, "enough") }
                    }
                } == .cancelled)
            #expect(try fixture.store.hasUnfinishedKeyChange)
            try fixture.reopen()
            try Self.expectValues(fixture.store, count: 200)
            let report = try fixture.store.changeDataKeys()
            #expect(report.isResumed && report.rewritten > 0 && report.rewritten < 400)
            #expect(try !fixture.store.hasUnfinishedKeyChange)
            for name in Self.names { #expect(try Self.dataKey(fixture, name) == 2) }
            // Another change can begin only now.
            #expect(try !fixture.store.changeDataKeys().isResumed)
            for name in Self.names { #expect(try Self.dataKey(fixture, name) == 3) }
        }

        @Test func aStoreWithoutKeysHasNothingToChange() throws {
            let fixture = try EncryptedFixture()
            try fixture["plain"].set(1, forKey: "k")
            #expect(try fixture.store.changeDataKeys() == KeyChangeReport(rewritten: 0, isResumed: false))
            try fixture.reopen(nil)
            #expect(code { () throws(StorageError) in try fixture.store.changeDataKeys() } == .cipherMismatch)
        }

        @Test func aCrashAtAnyCallLeavesWhatCanBeFinished() throws {
            let files = SimulatedFileSystem(seed: 6)
            let store = try files.openStore()
            try Self.fill(store)
            try store.sync()
            let crashes = try files.crashes { try store.changeDataKeys() }
            try store.close()
            #expect(crashes.count > 40)
            var unfinished = 0
            for crash in crashes {
                let store = try crash.files.openStore()
                try Self.expectValues(store, crash.place)
                if try store.hasUnfinishedKeyChange {
                    unfinished += 1
                    #expect(try store.changeDataKeys().isResumed, "\(crash.place)")
                }
                #expect(try !store.hasUnfinishedKeyChange, "\(crash.place)")
                try Self.expectValues(store, crash.place)
                try store.close()
            }
            #expect(unfinished > 0)
        }
    }
#endif
