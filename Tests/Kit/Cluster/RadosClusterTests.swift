#if RADOS
    import Foundation
    import Shale
    import ShaleBase
    import ShalePlatform
    import Testing

    @testable import ShaleCluster

    /// Namespaces on a cluster of `tools/cluster`, whose OSDs are killed and paused. Enabled by
    /// SHALE_CLUSTER_CONFIGURATION.
    @Suite(.enabled(if: ClusterFixture.hasCluster), .serialized)
    struct RadosClusterTests {
        private let name = "test-\(UUID().uuidString)"

        /// Runs `body` with a namespace of its own, which is dropped afterwards.
        private func withNamespace(
            _ layout: ClusterLayout = ClusterLayout(shards: 8),
            _ body: (ClusterStore, ClusterNamespace) async throws -> Void
        ) async throws {
            let store = try await ClusterFixture.open()
            try await body(store, try await store.createNamespace(name, layout: layout))
            try await store.dropNamespace(name)
            await store.close()
        }

        /// Runs `tools/cluster` with the cluster of the tests.
        private func cluster(_ arguments: String...) async throws {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            let output = try await run(root.appendingPathComponent("tools/cluster").path, arguments)
            #expect(output != nil, "tools/cluster \(arguments)")
        }

        private var directory: URL {
            URL(fileURLWithPath: ClusterFixture.configuration ?? "").deletingLastPathComponent()
        }

        /// Returns what a program prints; `nil` if it fails.
        private func run(_ program: String, _ arguments: [String]) async throws -> String? {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [program] + arguments
            let variables = ["SHALE_CLUSTER": directory.path]
            process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
            let output = Pipe()
            process.standardOutput = output
            let status = try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Int32, any Error>) in
                process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
                do { try process.run() } catch { continuation.resume(throwing: error) }
            }
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            return status == 0 ? text : nil
        }

        private func connectionCode(_ change: (inout ClusterConnection) -> Void) async -> StorageError.Code? {
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

        @Test
        func noAcknowledgedWriteIsLostWhenOSDsAreKilled() async throws {
            try await withNamespace { (_, namespace) in
                let isDone = Locked(false)
                let acknowledged = try await withThrowingTaskGroup(of: [Int].self) { group in
                    for writer in 0..<4 {
                        group.addTask {
                            var last: [Int] = []
                            for number in 0... {
                                if isDone.withLock({ $0 }) { break }
                                let key = "w\(writer)/\(number)"
                                try await namespace.set(number, forKey: key)
                                last.append(number)
                            }
                            return [writer] + last
                        }
                    }
                    // An OSD and then its successor; each is back before the next one goes.
                    for victim in ["0", "1", "2", "0"] {
                        try await cluster("kill", victim)
                        // Written while one is missing.
                        for index in 0..<20 { try await namespace.set(index, forKey: "killed \(victim)/\(index)") }
                        try await cluster("start", victim)
                        try await self.untilAllAreUp()
                    }
                    isDone.withLock { $0 = true }
                    var all: [[Int]] = []
                    for try await numbers in group { all.append(numbers) }
                    return all
                }
                let found = Set(try await namespace.entries.array().compactMap(\.key.string))
                for numbers in acknowledged {
                    for number in numbers.dropFirst() { #expect(found.contains("w\(numbers[0])/\(number)")) }
                    #expect(numbers.count > 1)
                }
            }
        }

        /// Waits until the monitor has all OSDs up, so that two replicas are never missing at once.
        private func untilAllAreUp() async throws {
            let deadline = ContinuousClock.now + .seconds(60)
            while true {
                let text = try await run(
                    "ceph",
                    [
                        "--conf", ClusterFixture.configuration ?? "", "--keyring",
                        directory.appendingPathComponent("admin.keyring").path, "osd", "stat", "--format", "json",
                    ])
                if text?.contains("\"num_up_osds\":3") ?? false { return }
                try #require(ContinuousClock.now < deadline, "the OSDs did not come back")
            }
        }

        @Test
        func operationsOnAClusterThatHangsEnd() async throws {
            try await withNamespace { (store, namespace) in
                try await namespace.set(1, forKey: "k")
                var connection = ClusterConnection(pool: "shale")
                connection.configuration = ClusterFixture.configuration
                connection.user = "shale"
                connection.timeout = .seconds(2)
                let impatient = try await ClusterStore.open(connection)
                let hasty = try await impatient.namespace(name)
                #expect(try await hasty.value(forKey: "k", as: Int.self) == 1)
                for osd in ["0", "1", "2"] { try await cluster("pause", osd) }
                // A cancelled read ends at once, although its own connection waits for a minute.
                let reader = Task { () async -> StorageError.Code? in
                    await code { _ = try await namespace.entry(forKey: "k") }
                }
                #expect(await code { _ = try await hasty.entry(forKey: "k") } == .unavailable)
                reader.cancel()
                #expect(await reader.value == .cancelled)
                #expect(await code { try await hasty.set(2, forKey: "k") } == .indeterminate)
                for osd in ["0", "1", "2"] { try await cluster("start", osd) }
                try await self.untilAllAreUp()
                // The write without an answer may be in a queue, until a fence.
                try await namespace.fence(forKey: "k")
                try await namespace.set(3, forKey: "k")
                #expect(try await namespace.value(forKey: "k", as: Int.self) == 3)
                await impatient.close()
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
