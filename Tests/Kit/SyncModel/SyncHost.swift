import Shale
import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import ShaleSync
import ShaleSyncServer

/// The server with its store on a simulated disk.
final class SyncHost {
    let time: ManualTime
    private let random: SeededRandom
    private let options: Store.Options
    private var files: SimulatedFileSystem
    private var store: Store
    private(set) var server: SyncServer
    private let retention: Int64

    init(seed: UInt64, wall: Int64, retention: Int64) throws {
        time = ManualTime(wallMilliseconds: wall)
        random = SeededRandom(seed: seed)
        self.retention = retention
        options = SyncHost.options(time)
        files = SyncHost.disk(seed: seed)
        store = try SyncHost.open(files, options)
        server = SyncHost.server(store, retention, random)
    }

    deinit { _ = Result { () throws(StorageError) in try store.close() } }

    /// Returns the options of a small store with a clock of its own.
    static func options(_ time: ManualTime) -> Store.Options {
        var options = Store.Options()
        options.engine.time = time
        options.engine.syncInterval = nil
        options.engine.memtableBytes = 64 << 10
        options.engine.memoryBudget = 8 << 20
        return options
    }

    static func disk(seed: UInt64) -> SimulatedFileSystem {
        let files = SimulatedFileSystem(seed: seed)
        files.recordsOperations = false
        return files
    }

    static func open(_ files: SimulatedFileSystem, _ options: Store.Options) throws(StorageError) -> Store {
        try Store(
            at: "/store", options: options,
            environment: EngineEnvironment(fileSystem: files, random: SeededRandom(seed: 1), scheduling: .inline))
    }

    private static func server(_ store: Store, _ retention: Int64, _ random: SeededRandom) -> SyncServer {
        var options = SyncServer.Options()
        options.tombstoneRetentionMilliseconds = retention
        options.clientRetentionMilliseconds = .max / 4
        return SyncServer(store, options: options, random: random)
    }

    /// Answers a call of a user.
    func answer(_ exchange: SyncEngine.Exchange, user: String = "u") throws -> SyncReply {
        try server.answer(exchange.call, body: exchange.body, user: user)
    }

    /// Kills the process or cuts the power, and opens again.
    func crash(_ draw: SeededRandom) throws {
        let left = CrashKind.all[draw.below(CrashKind.all.count)].crash(files, seed: draw.next())
        try store.close()
        files = left
        store = try SyncHost.open(files, options)
        server = SyncHost.server(store, retention, random)
    }
}
