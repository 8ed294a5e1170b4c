import ArgumentParser
import AsyncHTTPClient
import Foundation
import HTTPTypes
import Logging
import Posix
import ServiceLifecycle
import ShaleHTTP
import ShaleSync
import ShaleSyncServer
import SyncServerHTTP

/// Measures the synchronisation over loopback.
struct MeasureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure", abstract: "Measures pushing, pulling, and the cost of a synchronised write.",
        discussion: """
            Server and clients are in this process, with stores on disk. Rows are a name, a
            figure, a unit, and the bar if there is one.
            """)

    @Option(help: "The number of pending changes.")
    var changes = 100_000

    @Option(help: "The number of writes whose costs are compared.")
    var writes = 50_000

    @Option(help: ArgumentHelp("The memory budget of each of the three stores.", valueName: "MiB"))
    var budget: Int?

    @Option(help: "A directory for the stores, on the disk to measure.")
    var directory: String?

    @Flag(help: "Ends with 1 if a figure is over its bar.")
    var check = false

    func run() async throws {
        let place = try directory ?? makeTemporaryDirectory(prefix: "shale-sync-measure")
        var isWithin = true
        var options = Store.Options()
        if let budget {
            options.engine.memoryBudget = budget << 20
            options.engine.memtableBytes = min(options.engine.memtableBytes, budget << 18)
        }
        try await LoopbackMeasurement.run(place, options, changes: changes) { row in
            print(row.text)
            isWithin = isWithin && row.isWithin
        }
        for row in try WriteMeasurement.rows(place + "/writes", count: writes) {
            print(row.text)
            isWithin = isWithin && row.isWithin
        }
        if directory == nil { try removeTree(place) }
        if check, !isWithin { throw ExitCode.failure }
    }
}

/// A figure.
struct Row {
    var name: String
    var value: Double
    var unit: String
    var bar: Double?

    var isWithin: Bool { bar.map { value <= $0 } ?? true }

    var text: String {
        let columns = name.padding(toLength: 44, withPad: " ", startingAt: 0)
        let figure = columns + String(format: "%10.2f ", value) + unit
        return figure + (bar.map { "   bar " + String(format: "%.1f", $0) + (isWithin ? "" : " MISSED") } ?? "")
    }
}

/// A record of a hundred bytes.
struct Measured: Codable, Sendable, Hashable {
    var id: Int
    var title: String
    var isDone = false
    var count = 0

    static let schema = RecordSchema<Measured>("measured", key: \.id, fields: [RecordField("id", \.id)])

    init(_ id: Int) {
        self.id = id
        title = "The title of record \(id), of a usual length"
    }
}

/// A backlog that one device pushes and another one pulls.
enum LoopbackMeasurement {
    private struct Anybody: SyncAuthenticator {
        func identify(_ fields: HTTPFields) async throws -> SyncIdentity { .user("u") }
    }

    static func run(
        _ place: String, _ stores: Store.Options, changes: Int, _ report: (Row) -> Void
    ) async throws {
        var options = SyncServiceOptions(logger: Logger(label: "measure") { _ in SwiftLogNoOpLogHandler() })
        options.port = 0
        let store = try await Store.open(at: place + "/server", options: stores)
        let (ports, port) = AsyncStream<Int>.makeStream()
        let service = SyncService(store, authenticator: Anybody(), options: options) { port.yield($0) }
        let group = ServiceGroup(services: [service], logger: options.logger)
        let client = HTTPClient(configuration: AsyncHTTPClientTransport.configuration)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await number in ports {
                let transport = HTTPSyncTransport(
                    scheme: "http", authority: "127.0.0.1:\(number)", over: AsyncHTTPClientTransport(client))
                try await measure(place, stores, transport, changes, report)
                break
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        try await client.shutdown()
        try await store.close()
    }

    private static func measure(
        _ place: String, _ stores: Store.Options, _ transport: HTTPSyncTransport, _ changes: Int,
        _ report: (Row) -> Void
    ) async throws {
        let first = try await Store.open(at: place + "/first", options: stores)
        let sender = try SyncClient(first.user("u"), transport: transport)
        let records = try sender.collection(Measured.schema)
        for start in stride(from: 0, to: changes, by: 1000) {
            try await records.insert(contentsOf: (start..<min(changes, start + 1000)).map { Measured($0) })
        }
        let before = peakBytes
        let pushed = try await seconds { try await sender.synchronise() }
        report(Row(name: "push, \(changes) pending changes", value: pushed, unit: "s"))
        let second = try await Store.open(at: place + "/second", options: stores)
        let receiver = try SyncClient(second.user("u"), transport: transport)
        let received = try receiver.collection(Measured.schema)
        let pulled = try await seconds { try await receiver.synchronise() }
        report(Row(name: "pull, \(changes) changes", value: pulled, unit: "s"))
        report(
            Row(
                name: "push and pull", value: pushed + pulled, unit: "s", bar: 5 * Double(max(changes, 1)) / 100_000))
        report(
            Row(name: "memory that the exchange added", value: Double(peakBytes - before) / 1e6, unit: "MB"))
        guard try received.count() == changes, sender.status.pending == 0 else {
            throw TrialFailure("the devices are not in step")
        }
        for store in [first, second] { try await store.close() }
    }

    private static func seconds(_ body: () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        try await body()
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    /// The largest resident size of this process so far.
    private static var peakBytes: Int {
        var usage = rusage()
        #if canImport(Darwin)
            _ = unsafe getrusage(RUSAGE_SELF, &usage)
            return usage.ru_maxrss
        #else
            _ = unsafe getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
            return usage.ru_maxrss << 10
        #endif
    }
}

/// The cost of a write of a collection that is synchronised, beside that of one that is not.
enum WriteMeasurement {
    private static let rounds = 5

    static func rows(_ place: String, count: Int) throws -> [Row] {
        let store = try Store(at: place)
        let plain = try RecordCollection(Measured.schema, in: store.common["plain"])
        let sync = try SyncClient(store.user("u"), transport: Nowhere())
        let synced = try sync.collection(Measured.schema)
        var (without, with) = ([Double](), [Double]())
        for round in 0..<rounds {
            without.append(try cpu(count, round) { (record) throws(StorageError) in _ = try plain.put(record) })
            with.append(try cpu(count, round) { (record) throws(StorageError) in _ = try synced.put(record) })
        }
        try store.close()
        // The first round fills caches and inserts; the others replace.
        let ratios = zip(with, without).map { $0 / $1 }
        let (inserting, replacing) = (ratios[0], ratios.dropFirst().sorted()[(rounds - 1) / 2])
        return [
            Row(name: "a write, not synchronised", value: without.sorted()[rounds / 2], unit: "µs"),
            Row(name: "a write, synchronised", value: with.sorted()[rounds / 2], unit: "µs"),
            Row(name: "ratio, inserting", value: inserting, unit: "×", bar: 1.3),
            Row(name: "ratio, replacing", value: replacing, unit: "×", bar: 1.3),
        ]
    }

    /// Returns the time of this thread for a write, in microseconds.
    private static func cpu(
        _ count: Int, _ round: Int, _ write: (Measured) throws(StorageError) -> Void
    ) throws -> Double {
        let start = threadNanoseconds
        for id in 0..<count {
            var record = Measured(id)
            record.count = round
            try write(record)
        }
        return Double(threadNanoseconds - start) / 1000 / Double(count)
    }

    private static var threadNanoseconds: UInt64 { clock_gettime_nsec_np(CLOCK_THREAD_CPUTIME_ID) }

    #if !canImport(Darwin)
        private static func clock_gettime_nsec_np(_ clock: clockid_t) -> UInt64 {
            var time = timespec()
            _ = unsafe clock_gettime(clock, &time)
            return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        }
    #endif

    private struct Nowhere: SyncTransport {
        func send(_ call: SyncCall, body: [UInt8]) async throws -> SyncReply {
            throw TrialFailure("nothing is sent")
        }
    }
}
