#if RADOS
    import Shale
    import ShalePlatform
    import TestSupport
    import Testing

    @testable import ShaleCluster

    /// A monitor that is cut off, OSDs that hang, and one that is slow. In the suite of the other disturbances, which
    /// run one after the other.
    extension RadosClusterTests {
        @Test
        func aMonitorThatIsCutOffStopsNoClientThatIsConnected() async throws {
            try await withNamespace { (store, namespace) in
                try await namespace.set(0, forKey: "k")
                try await loopback.run("partition")
                for index in 1...50 {
                    try await namespace.set(index, forKey: "k")
                    #expect(try await namespace.value(forKey: "k", as: Int.self) == index)
                }
                #expect(await connectionCode { $0.timeout = .seconds(1) } == .unavailable)
                try await loopback.run("heal")
                try await loopback.waitUntilAllAreUp()
                #expect(await connectionCode { $0.timeout = .seconds(30) } == nil)
                #expect(try await store.health().status != .failing)
                #expect(try await namespace.value(forKey: "k", as: Int.self) == 50)
            }
        }

        /// While all OSDs hang, more operations wait for them than the task pool has threads.
        @Test
        func noThreadOfTheTaskPoolWaitsForTheCluster() async throws {
            try await withNamespace { (store, namespace) in
                try await namespace.set(1, forKey: "k")
                let operations: [@Sendable () async throws -> Void] = [
                    { _ = try await namespace.entry(forKey: "k") },
                    { try await namespace.set(2, forKey: "k") },
                    { _ = try await namespace.update(forKey: "k") { (_) in .remove } },
                    { _ = try await namespace.entries.array() },
                    { try await namespace.set([UInt8](repeating: 3, count: 70_000), forKey: "large") },
                    { try await namespace.purgeNow() },
                    { try await namespace.fence(forKey: "k") },
                    { try await namespace.announce("k") },
                ]
                let count = operations.count * 2 * processorCount()
                let (begun, ended) = (Locked(0), Locked(0))
                for osd in ["0", "1", "2"] { try await loopback.run("pause", osd) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<count {
                        group.addTask {
                            begun.withLock { $0 += 1 }
                            try await operations[number % operations.count]()
                            ended.withLock { $0 += 1 }
                        }
                    }
                    // Every task gets a thread, and so do those that do something else.
                    while begun.withLock({ $0 }) < count { await Task.yield() }
                    for _ in 0..<1_000 { await Task { await Task.yield() }.value }
                    #expect(ended.withLock { $0 } == 0)
                    for osd in ["0", "1", "2"] { try await loopback.run("start", osd) }
                    try await loopback.waitUntilAllAreUp()
                    try await group.waitForAll()
                }
            }
        }

        /// With so many in flight, reads of a shard are sent together.
        @Test
        func manyReadsOfAClusterThatHangsAreCancelledOneByOne() async throws {
            try await withNamespace(ClusterLayout(shards: 2)) { (_, namespace) in
                for index in 0..<100 { try await namespace.set(index, forKey: "k\(index)") }
                for osd in ["0", "1", "2"] { try await loopback.run("pause", osd) }
                let reads = (0..<100).map { index in
                    Task { try await namespace.value(forKey: "k\(index)", as: Int.self) }
                }
                for (index, read) in reads.enumerated() where !index.isMultiple(of: 3) {
                    read.cancel()
                    #expect(await code { _ = try await read.value } == .cancelled)
                }
                for osd in ["0", "1", "2"] { try await loopback.run("start", osd) }
                try await loopback.waitUntilAllAreUp()
                for (index, read) in reads.enumerated() where index.isMultiple(of: 3) {
                    #expect(try await read.value == index)
                }
            }
        }

        @Test
        func anOSDThatIsSlowDelaysWritesAndLosesNone() async throws {
            try await withNamespace { (_, namespace) in
                let isDone = Locked(false)
                async let written: [Int] = withThrowingTaskGroup(of: (Int, Int).self) { group in
                    for writer in 0..<8 {
                        group.addTask {
                            var count = 0
                            while !isDone.withLock({ $0 }) {
                                try await namespace.set(count, forKey: "w\(writer)/\(count % 40)")
                                count += 1
                            }
                            return (writer, count)
                        }
                    }
                    var counts = [Int](repeating: 0, count: 8)
                    for try await (writer, count) in group { counts[writer] = count }
                    return counts
                }
                for _ in 0..<12 {
                    try await loopback.run("pause", "1")
                    try await Task.sleep(for: .milliseconds(120))
                    try await loopback.run("start", "1")
                    try await Task.sleep(for: .milliseconds(30))
                }
                isDone.withLock { $0 = true }
                for (writer, count) in try await written.enumerated() {
                    #expect(count > 0)
                    for number in max(0, count - 40)..<count {
                        #expect(try await namespace.value(forKey: "w\(writer)/\(number % 40)", as: Int.self) == number)
                    }
                }
                try await loopback.waitUntilAllAreUp()
            }
        }
    }
#endif
