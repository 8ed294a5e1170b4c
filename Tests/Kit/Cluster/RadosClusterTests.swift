#if RADOS
    import Foundation
    import Shale
    import ShaleBase
    import ShalePlatform
    import TestSupport
    import Testing

    @testable import ShaleCluster

    /// Namespaces on a cluster of `tools/cluster`, whose OSDs are killed and paused. Enabled by
    /// SHALE_CLUSTER_CONFIGURATION.
    @Suite(.enabled(if: ClusterFixture.hasCluster), .serialized)
    struct RadosClusterTests {
        let name = "test-\(UUID().uuidString)"

        /// Runs `body` with a namespace of its own, which is dropped afterwards, beside other tests or alone.
        func withNamespace(
            _ layout: ClusterLayout = ClusterLayout(shards: 8), alone: Bool = false,
            _ body: (ClusterStore, ClusterNamespace) async throws -> Void
        ) async throws {
            try await ClusterUse.ofCluster.with(alone: alone) {
                let store = try await ClusterFixture.open()
                try await body(store, try await store.createNamespace(name, layout: layout))
                try await store.dropNamespace(name)
                await store.close()
            }
        }

        var loopback: LoopbackCluster {
            get throws { try #require(LoopbackCluster.current) }
        }

        func connectionCode(_ change: (inout ClusterConnection) -> Void) async -> StorageError.Code? {
            var connection = ClusterConnection(pool: "shale")
            connection.configuration = ClusterFixture.configuration
            connection.user = "shale"
            connection.timeout = .seconds(2)
            change(&connection)
            return await code { await (try await ClusterStore.open(connection)).close() }
        }

        @Test
        func connectionsThatCanNotBeMadeAreTypedErrors() async throws {
            #expect(await connectionCode { $0.pool = "none" } == .missing)
            #expect(await connectionCode { $0.configuration = "/none" } == .missing)
            #expect(await connectionCode { $0.keyFile = "/none" } == .missingKey)
            #expect(await connectionCode { $0.user = "stranger" } == .locked)
            #expect(await connectionCode { $0.monitors = ["v2:127.0.0.1:9"] } == .unavailable)
            #expect(await connectionCode { $0.operationsInFlight = 0 } == .invalidArgument)
            let keyring = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
            let text = "[client.shale]\n\tkey = AQAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAA==\n"
            try text.write(toFile: keyring, atomically: true, encoding: .utf8)
            #expect(await connectionCode { $0.keyFile = keyring } == .locked)
            try FileManager.default.removeItem(atPath: keyring)
        }

        @Test
        func operationsBeyondThoseInFlightWaitTheirTurn() async throws {
            try await withNamespace { (_, namespace) in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for task in 0..<300 {
                        group.addTask {
                            for index in 0..<4 {
                                try await namespace.set(task * 4 + index, forKey: "k\(task * 4 + index)")
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let entries = try await namespace.entries.array()
                #expect(try entries.map { try $0.value(as: Int.self) }.sorted() == Array(0..<1200))
            }
        }

        /// One writer's keys, each with the number that was acknowledged last, and that which was sent last.
        private struct Written: Sendable {
            static let keys = 500
            let writer: Int
            var acknowledged = [Int](repeating: -1, count: Written.keys)
            var sent = [Int](repeating: -1, count: Written.keys)
            var count = 0

            func key(_ index: Int) -> String { "w\(writer)/\(index)" }

            /// Writes numbers until `isDone`.
            mutating func run(_ namespace: ClusterNamespace, until isDone: Locked<Bool>) async throws {
                while !isDone.withLock({ $0 }) {
                    let index = count % Written.keys
                    sent[index] = count
                    try await namespace.set(count, forKey: key(index))
                    acknowledged[index] = count
                    count += 1
                }
            }
        }

        @Test
        func noAcknowledgedWriteIsLostWhenOSDsAreKilled() async throws {
            let kills = Ring.choose(commit: 4, nightly: 500, release: 500)
            let random = SeededRandom(seed: Ring.seed)
            try await withNamespace { (_, namespace) in
                let isDone = Locked(false)
                let written = try await withThrowingTaskGroup(of: Written.self) { group in
                    for writer in 0..<4 {
                        group.addTask {
                            var written = Written(writer: writer)
                            try await written.run(namespace, until: isDone)
                            return written
                        }
                    }
                    // An OSD and then its successor; each is back, with all shards, before the next one goes. Some hang
                    // instead.
                    for number in 0..<kills {
                        let victim = "\(number < 3 ? number : random.below(3))"
                        try await loopback.run(number < 3 || random.chance(0.8) ? "kill" : "pause", victim)
                        // Written while one is missing.
                        for index in 0..<20 { try await namespace.set(index, forKey: "killed \(victim)/\(index)") }
                        try await loopback.run("start", victim)
                        try await loopback.waitUntilAllAreUp()
                        // A change of an object waits until every OSD has it again. Before, its newest version may be
                        // on a single one, without which nothing of it is read or written.
                        try await namespace.purgeNow()
                    }
                    isDone.withLock { $0 = true }
                    var all: [Written] = []
                    for try await one in group { all.append(one) }
                    return all
                }
                for one in written {
                    #expect(one.count > 1)
                    let found = try await namespace.values(forKeys: (0..<Written.keys).map(one.key), as: Int.self)
                    for index in 0..<Written.keys where one.acknowledged[index] >= 0 {
                        let isKept = found[index] == one.acknowledged[index] || found[index] == one.sent[index]
                        #expect(isKept, "\(one.key(index)) seed \(random.seed)")
                    }
                }
                Ring.covered(kills, "OSDs killed beside writers", "\(written.reduce(0) { $0 + $1.count }) writes")
            }
        }

        @Test
        func operationsOnAClusterThatHangsEnd() async throws {
            try await withNamespace { (store, namespace) in
                try await namespace.set(1, forKey: "k")
                let impatient = try await ClusterFixture.open(timeout: .seconds(2))
                let hasty = try await impatient.namespace(name)
                #expect(try await hasty.value(forKey: "k", as: Int.self) == 1)
                for osd in ["0", "1", "2"] { try await loopback.run("pause", osd) }
                // A cancelled read ends at once, although its own connection waits for a minute.
                let reader = Task { () async -> StorageError.Code? in
                    await code { _ = try await namespace.entry(forKey: "k") }
                }
                #expect(await code { _ = try await hasty.entry(forKey: "k") } == .unavailable)
                reader.cancel()
                #expect(await reader.value == .cancelled)
                #expect(await code { try await hasty.set(2, forKey: "k") } == .indeterminate)
                for osd in ["0", "1", "2"] { try await loopback.run("start", osd) }
                try await loopback.waitUntilAllAreUp()
                // The write without an answer may be in a queue, until a fence.
                try await namespace.fence(forKey: "k")
                try await namespace.set(3, forKey: "k")
                #expect(try await namespace.value(forKey: "k", as: Int.self) == 3)
                await impatient.close()
            }
        }

        @Test
        func aSnapshotSeesItsMoment() async throws {
            try await withNamespace { (_, namespace) in
                for index in 0..<100 { try await namespace.set(index, forKey: "k\(index)") }
                let large = [UInt8](repeating: 5, count: 300_000)
                try await namespace.set(large, forKey: "large")
                let first = try await namespace.snapshot()
                for index in 0..<100 { try await namespace.set(index + 1000, forKey: "k\(index)") }
                try await namespace.remove("large")
                let second = try await namespace.snapshot()
                try await namespace.truncate()
                _ = try await namespace.reclaim()
                #expect(try await first.entries.array().count == 101)
                #expect(try await first.value(forKey: "large", as: [UInt8].self) == large)
                for index in 0..<100 {
                    #expect(try await first.value(forKey: "k\(index)", as: Int.self) == index)
                    #expect(try await second.value(forKey: "k\(index)", as: Int.self) == index + 1000)
                }
                #expect(try await namespace.entries.array().isEmpty)
                try await first.release()
                #expect(try await second.entries.array().count == 100)
                try await second.release()
            }
        }

        @Test
        func largeValuesComeBack() async throws {
            try await withNamespace { (_, namespace) in
                for count in [65_000, 65_537, 1_000_000, ClusterLimits.valueBytes] {
                    let value = [UInt8](repeating: UInt8(truncatingIfNeeded: count), count: count)
                    try await namespace.set(value, forKey: "k")
                    #expect(try await namespace.value(forKey: "k", as: [UInt8].self) == value)
                }
            }
        }

        @Test
        func announcementsReachAllClients() async throws {
            try await withNamespace { (_, namespace) in
                let other = try await ClusterFixture.open()
                var hints = try await other.namespace(name).hints().makeAsyncIterator()
                for index in 0..<5 { try await namespace.announce("k\(index)") }
                for index in 0..<5 { #expect(await hints.next() == .changed(EntryKey("k\(index)"))) }
                await other.close()
            }
        }

        @Test
        func aClusterReportsItsHealth() async throws {
            try await withNamespace { (store, _) in
                // Without a manager, which counts, a cluster is not healthy.
                let health = try await store.health()
                #expect(health.status != .failing)
                _ = try await store.usage()
            }
        }

        /// Also while a reader keeps the hints: the connection waits for its watches, not for their readers.
        @Test
        func hintsThatAreKeptEndWithTheConnection() async throws {
            try await withNamespace { (_, _) in
                let other = try await ClusterFixture.open()
                let hints = try await other.namespace(name).hints()
                await other.close()
                #expect(await hints.first { _ in true } == nil)
            }
        }

        @Test
        func aClosedConnectionRefusesOperations() async throws {
            try await withNamespace { (_, _) in
                let other = try await ClusterFixture.open()
                let namespace = try await other.namespace(name)
                await other.close()
                #expect(await code { try await namespace.set(1, forKey: "k") } == .closed)
                #expect(await code { _ = try await namespace.entry(forKey: "k") } == .closed)
                await other.close()
            }
        }
    }
#endif
