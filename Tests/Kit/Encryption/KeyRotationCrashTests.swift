#if Encryption
    import ShaleEncryption
    import ShaleEngine
    import ShaleSimulation
    import TestSupport
    import Testing

    /// A rotation of all keys crashes at any call. Finishing it crashes too, and finishing
    /// that.
    ///
    /// Each time one of the two master keys opens the store, every value is there, and the change of data keys can be
    /// finished.
    @Suite final class KeyRotationCrashTests {
        private static let depthMax = 3
        private static let names = ["a", "b"]

        private let first = StateSampling(seed: 21, oneIn: Ring.choose(commit: 6, nightly: 1, release: 1))
        private let deeper = StateSampling(seed: 22, oneIn: 12)
        private let nested = StateSampling(seed: 23, oneIn: Ring.choose(commit: 40, nightly: 12, release: 8))
        private var statesByDepth = [Int](repeating: 0, count: depthMax + 1)

        @Test func aRotationEndsAfterAnyNumberOfCrashes() throws {
            let files = SimulatedFileSystem(seed: 5)
            let store = try files.openStore()
            try Self.fill(store, 0..<4)
            try store.sync()
            var count = 4
            let crashes = try files.crashes(seed: Ring.seed, where: { first.takes($0) }, mark: { count }) {
                try store.changeDataKeys()
                try store.changeMasterKey(to: KeySource.key(TestKeys.second))
                try Self.fill(store, 4..<6)
                try store.sync()
                count = 6
                try store.changeDataKeys()
            }
            try store.close()
            for crash in crashes { look(at: crash, depth: 0) }
            #expect(statesByDepth.allSatisfy { $0 > 0 })
            for (depth, states) in statesByDepth.enumerated() {
                Ring.covered(
                    states, depth == 0 ? "crash states" : "crash states of recovery, depth \(depth)", "rotate key")
            }
        }

        /// Finishes the change, with further crashes up to a depth. The mark is the number of entries in each
        /// namespace.
        private func look(at crash: RecordedCrash<Int>, depth: Int) {
            statesByDepth[depth] += 1
            let place = "\(Ring.reproduction) \(crash.place)"
            do {
                let number = statesByDepth[depth]
                // Always takes the first state of each depth, so that every depth is covered.
                guard depth < Self.depthMax, number == 1 || deeper.takes(number, depth) else {
                    return try Self.finish(crash, place)
                }
                let again = try crash.files.crashes(
                    seed: UInt64(number), where: { nested.takes($0, number) }, mark: { crash.mark },
                    during: { try Self.finish(crash, place) })
                for next in again {
                    look(
                        at: RecordedCrash(
                            files: next.files, mark: next.mark, place: "\(crash.place), THEN \(next.place)"),
                        depth: depth + 1)
                }
            } catch {
                Issue.record("\(place): \(error)")
            }
        }

        private static func finish(_ crash: RecordedCrash<Int>, _ place: String) throws {
            let (store, _) = try crash.files.openStoreWithEither()
            try expectValues(store, crash.mark, place)
            if try store.hasUnfinishedKeyChange {
                #expect(try store.changeDataKeys().isResumed, "\(place)")
                try expectValues(store, crash.mark, place)
            }
            #expect(try !store.hasUnfinishedKeyChange, "\(place)")
            #expect(try store.engine.verify().problems.isEmpty, "\(place)")
            try store.close()
        }

        private static func fill(_ store: Store, _ entries: Range<Int>) throws(StorageError) {
            for name in names {
                for index in entries {
                    try store.common[name].set("\(name)\(index)", forKey: "k\(index)", options: .encrypted)
                }
            }
        }

        private static func expectValues(_ store: Store, _ count: Int, _ place: String) throws {
            for name in names {
                for index in 0..<6 {
                    let value = try store.common[name].value(forKey: "k\(index)", as: String.self)
                    #expect(value == "\(name)\(index)" || (value == nil && index >= count), "\(place)")
                }
            }
        }
    }
#endif
