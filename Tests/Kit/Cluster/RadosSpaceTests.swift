#if RADOS
    import Shale
    import TestSupport
    import Testing

    @testable import ShaleCluster

    /// A cluster without space. In the suite of the other disturbances, and alone: on a full cluster the writes of
    /// other tests would fail.
    extension RadosClusterTests {
        /// Sets the shares of its space at which an OSD is nearly full, takes no copies, and is full.
        private func setFullRatios(_ nearly: String, _ copies: String, _ full: String) async throws {
            let ratios = [("nearfull", nearly), ("backfillfull", copies), ("full", full)]
            for (name, ratio) in full == "0.95" ? ratios.reversed() : ratios {
                #expect(try await loopback.administer("osd", "set-\(name)-ratio", ratio) != nil)
            }
        }

        /// Runs `body` on a full cluster, which has space again when this returns.
        private func whileFull(_ body: () async throws -> Void) async throws {
            let outcome: Result<Void, any Error>
            do {
                try await setFullRatios("0.00001", "0.00002", "0.00003")
                outcome = .success(try await body())
            } catch {
                outcome = .failure(error)
            }
            try await setFullRatios("0.85", "0.9", "0.95")
            try outcome.get()
        }

        @Test
        func aFullClusterIsATypedErrorAndCanBePurged() async throws {
            try await withNamespace(ClusterLayout(shards: 1), alone: true) { (store, namespace) in
                for index in 0..<10 { try await namespace.set(index, forKey: "k\(index)", options: .purgeable) }
                let impatient = try await ClusterFixture.open(timeout: .seconds(2))
                let hasty = try await impatient.namespace(name)
                let large = [UInt8](repeating: 1, count: 100_000)
                try await whileFull {
                    while try await !store.health().isFull { await Task.yield() }
                    // The client hears of it a little later than the monitors.
                    var outcome: StorageError.Code?
                    while outcome == nil { outcome = await code { try await hasty.set(1, forKey: "probe") } }
                    #expect(outcome == .noSpace)
                    #expect(await code { try await hasty.set(large, forKey: "large") } == .noSpace)
                    #expect(await code { try await hasty.set(7, forKey: "k1") } == .noSpace)
                    #expect(try await hasty.value(forKey: "k1", as: Int.self) == 1)
                    try await hasty.remove("k2")
                    try await hasty.purgeNow()
                    #expect(try await hasty.reclaim().entries == 9)
                }
                // Writes resume by themselves.
                try await namespace.set(2, forKey: "k1")
                #expect(try await namespace.value(forKey: "k1", as: Int.self) == 2)
                // Every OSD hears of it, before other tests use the cluster: the objects are on all of them.
                for index in 0..<50 {
                    while await code({ try await namespace.set(large, forKey: "large \(index)") }) == .noSpace {
                        await Task.yield()
                    }
                }
                await impatient.close()
            }
        }
    }
#endif
