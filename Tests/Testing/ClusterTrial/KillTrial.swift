#if RADOS
    import Foundation
    import ShaleCluster
    import ShalePlatform
    import TestSupport

    /// Clients that are killed, one after the other, on one namespace of a cluster.
    struct KillTrial {
        private static let layout = ClusterLayout(shards: 4, partitioning: .separator(UInt8(ascii: "/")))
        private static let writeTolerance = Duration.seconds(2)

        private let cluster: LoopbackCluster
        private let script: ClientScript
        private let random: SeededRandom
        private let name: String
        private let namespace: ClusterNamespace
        private var states = [WriterState](repeating: WriterState(), count: ClientScript.writers)
        private var disturbances: [String: Int] = [:]
        private var unsettled = 0

        static func run(_ arguments: TrialArguments) async throws {
            guard let cluster = LoopbackCluster.current else { throw TrialFailure(ClusterTrial.usage) }
            let start = ContinuousClock.now
            let store = try await open(cluster)
            let name = "trial-\(arguments.seed)-\(SystemRandom().next())"
            let namespace = try await store.createNamespace(name, layout: layout)
            var trial = KillTrial(cluster: cluster, seed: arguments.seed, name: name, namespace: namespace)
            print("seed \(arguments.seed)")
            var kills = 0
            while kills < arguments.kills, (ContinuousClock.now - start) < .seconds(arguments.seconds) {
                do {
                    try await trial.cycle()
                } catch {
                    throw TrialFailure("kill \(kills): \(error)\nFAILED, SEED=\(arguments.seed)")
                }
                kills += 1
            }
            try await trial.finish()
            try await store.dropNamespace(name)
            await store.close()
            try checkThreads()
            trial.report(kills)
        }

        /// Throws if a thread of librados is left: it would run while the process ends, and crash it.
        private static func checkThreads() throws {
            let directory = "/proc/self/task"
            for thread in try FileManager.default.contentsOfDirectory(atPath: directory) {
                // A thread that ends meanwhile has no name.
                let name = try? String(contentsOfFile: "\(directory)/\(thread)/comm", encoding: .utf8)
                guard name?.hasPrefix("msgr-worker") != true else {
                    throw TrialFailure("a closed connection has left a thread of librados")
                }
            }
        }

        /// Runs a client: `child NAME SEED FIRST,FIRST,…`.
        static func runChild(_ words: [String]) async throws {
            guard words.count == 4, let seed = UInt64(words[2]), let cluster = LoopbackCluster.current else {
                throw TrialFailure(ClusterTrial.usage)
            }
            let namespace = try await open(cluster).namespace(words[1])
            let client = ScriptedClient(namespace: namespace, script: ClientScript(seed: seed))
            try await client.run(first: words[3].split(separator: ",").compactMap { Int($0) })
        }

        private static func open(_ cluster: LoopbackCluster) async throws -> ClusterStore {
            var connection = ClusterConnection(pool: "shale")
            connection.configuration = cluster.configuration
            connection.user = "shale"
            connection.timeout = .seconds(60)
            var options = ClusterStore.Options()
            options.writeTolerance = writeTolerance
            options.clockTolerance = .seconds(1)
            return try await ClusterStore.open(connection, options: options)
        }

        private init(cluster: LoopbackCluster, seed: UInt64, name: String, namespace: ClusterNamespace) {
            self.cluster = cluster
            self.name = name
            self.namespace = namespace
            script = ClientScript(seed: seed)
            random = SeededRandom(seed: seed)
        }

        /// Starts a client, kills it at a random moment, and checks what it has left.
        private mutating func cycle() async throws {
            let disturbance = Disturbance(random)
            disturbances[disturbance.name, default: 0] += 1
            let first = states.map { String($0.next) }.joined(separator: ",")
            let child = try ChildProcess(["child", name, String(script.seed), first])
            do {
                // Some are killed before they have connected.
                let isEarly = random.chance(0.1)
                if !isEarly { try await Pipe.awaitOutput(of: child) }
                let duration = Duration.milliseconds(isEarly ? random.below(60) : 5 + random.below(600))
                try await disturbance.run(cluster, for: duration)
                // A removal pass beside a writer.
                if random.chance(0.2) { _ = try await namespace.reclaim() }
            } catch {
                child.kill()
                _ = try child.wait()
                try await disturbance.end(cluster)
                throw error
            }
            child.kill()
            let reports = try await Pipe.reports(of: child)
            guard try child.wait() == .killed(signal: SIGKILL) else {
                throw TrialFailure("the client ended before it was killed")
            }
            try await disturbance.end(cluster)
            for report in reports { try states[report.writer].take(report, script) }
            try await settle()
            if random.chance(0.3) { try await purge() }
        }

        /// Compares every partition with the reports. Behind a fence nothing that the client sent can happen any more.
        private mutating func settle() async throws {
            // No client writes: what expires has expired after this.
            try await Task.sleep(for: .milliseconds(ClientScript.lifetimeMilliseconds))
            for writer in states.indices {
                if states[writer].isOpen { unsettled += 1 }
                let prefix = ClientScript.prefix(writer)
                try await namespace.fence(forKey: prefix)
                var found: [String: [UInt8]] = [:]
                for entry in try await namespace.entries(prefix: prefix).array() {
                    let key = entry.key.string ?? ""
                    found[key] =
                        key == ClientScript.counter(writer)
                        ? Array("\(try entry.value(as: Int.self))".utf8) : try entry.value(as: [UInt8].self)
                }
                try states[writer].settle(found, writer: writer, script)
            }
        }

        private mutating func purge() async throws {
            try await namespace.purgeNow()
            for writer in states.indices { states[writer].remove(purged: true, expired: false) }
            try await settle()
        }

        /// Removes what clients have left: afterwards no object is unused.
        private mutating func finish() async throws {
            try await Task.sleep(for: KillTrial.writeTolerance + .seconds(1))
            _ = try await namespace.reclaim()
            // The entries of the first pass have abandoned their objects, which the second one removes.
            _ = try await namespace.reclaim()
            let left = try await namespace.reclaim(dryRun: true)
            guard left.objects == 0, left.entries == 0 else {
                throw TrialFailure("a removal pass has left \(left.objects) objects and \(left.entries) entries")
            }
            try await settle()
        }

        private func report(_ kills: Int) {
            let acknowledged = states.reduce(0) { $0 + $1.acknowledged }
            Ring.covered(kills, "kills of a client of a cluster", "\(unsettled) operations not acknowledged")
            Ring.covered(acknowledged, "acknowledged operations of killed clients")
            for (name, count) in disturbances.sorted(by: { $0.key < $1.key }) where name != "none" {
                Ring.covered(count, "\(name) beside clients")
            }
        }
    }

    /// The pipe of a client. Reading blocks, so it runs on threads of its own.
    private enum Pipe {
        private static let waitMilliseconds: Int32 = 60_000

        /// Waits for the first report, which stays in the pipe.
        static func awaitOutput(of child: ChildProcess) async throws {
            let output = child.output
            try await BlockingWork.run(isCancellable: false) { (_) in
                var entry = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
                _ = unsafe poll(&entry, 1, waitMilliseconds)
            }
        }

        /// Returns all reports of a client that was killed.
        static func reports(of child: ChildProcess) async throws -> [Report] {
            var bytes: [UInt8] = []
            while let more = try child.read(waiting: waitMilliseconds) { bytes += more }
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            return try lines.map { line in
                guard let report = Report(line) else { throw TrialFailure("not a report: \(line)") }
                return report
            }
        }
    }
#endif
