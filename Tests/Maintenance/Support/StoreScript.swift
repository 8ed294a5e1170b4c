import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation

/// Random operations on a small store; equal seeds give equal operations.
final class StoreScript {
    static let path = "/store"

    let files: SimulatedFileSystem
    private(set) var engine: Engine
    private(set) var values: Set<[UInt8]> = []
    private let random: SeededRandom
    private let time: ManualTime
    /// True if segments have format 2: with every third seed.
    private let splitsBlocks: Bool
    /// Greater than 0 with some seeds: the store has value files.
    private let largeValueBytes: Int
    private var namespaces: [NamespaceID] = []
    private var written = 0

    init(seed: UInt64, time: ManualTime) throws {
        files = SimulatedFileSystem(seed: seed)
        files.recordsOperations = false
        random = SeededRandom(seed: seed)
        self.time = time
        splitsBlocks = seed % 3 == 0
        largeValueBytes = seed % 5 < 2 ? 64 : 0
        engine = try Self.open(files, time, splitsBlocks: splitsBlocks, largeValueBytes)
        for _ in 0..<4 { try addNamespace() }
    }

    /// Options of a store so small that a few hundred entries cause flushes and compactions.
    static func options(_ time: ManualTime) -> Engine.Options {
        var options = Engine.Options()
        options.memtableBytes = 64 << 10
        options.memoryBudget = 8 << 20
        options.blockBytes = 1 << 10
        options.segmentBytes = 64 << 10
        options.upperSegmentBytes = 16 << 10
        options.baseLevelBytes = 64 << 10
        options.fanOut = 4
        options.syncInterval = nil
        options.time = time
        return options
    }

    static func open(
        _ files: SimulatedFileSystem, _ time: ManualTime = ManualTime(),
        _ scheduling: EngineEnvironment.Scheduling = .inline, _ change: (inout Engine.Options) -> Void = { _ in }
    ) throws -> Engine {
        var options = options(time)
        change(&options)
        return try Engine.open(
            at: path, options: options,
            environment: EngineEnvironment(fileSystem: files, random: SeededRandom(seed: 7), scheduling: scheduling))
    }

    private static func open(
        _ files: SimulatedFileSystem, _ time: ManualTime, splitsBlocks: Bool, _ largeValueBytes: Int
    ) throws -> Engine {
        try open(files, time) {
            $0.largeValueBytes = largeValueBytes
            guard splitsBlocks else { return }
            $0.splitsBlocks = .always
            $0.dictionaryDataBytesMin = 8 << 10
        }
    }

    func run(_ operations: Int) throws {
        for _ in 0..<operations { try step() }
    }

    private func addNamespace() throws {
        written += 1
        namespaces.append(
            try engine.createNamespace(named: Array("space \(written)".utf8), options: Array("o\(written)".utf8)))
    }

    private func step() throws {
        time.advance(milliseconds: 10)
        let namespace = namespaces[random.below(namespaces.count)]
        switch random.below(1000) {
        case 0..<2: try engine.purge([namespace])
        case 2..<4: try engine.truncate([namespace])
        case 4..<5:
            try engine.drop([namespace])
            namespaces.removeAll { $0 == namespace }
            try addNamespace()
        case 5..<9: try engine.flush()
        case 9..<10: try engine.compact()
        case 10..<12:
            try engine.close()
            engine = try Self.open(files, time, splitsBlocks: splitsBlocks, largeValueBytes)
        case 12..<15: try engine.sync()
        default: try write(namespace)
        }
    }

    private func write(_ namespace: NamespaceID) throws {
        var batch = WriteBatch()
        for _ in 0..<(random.chance(0.8) ? 1 : 20) {
            let key = Array("key \(random.below(700))".utf8)
            if random.chance(0.2) {
                try unsafe batch.delete(key.span.bytes, in: namespace)
            } else {
                try unsafe batch.put(
                    newValue().span.bytes, forKey: key.span.bytes, in: namespace, options: putOptions())
            }
        }
        try engine.write(batch, durability: random.chance(0.1) ? .synced : .buffered)
    }

    private func newValue() -> [UInt8] {
        written += 1
        let value = Array("value \(written) ".utf8) + random.bytes(random.below(120))
        values.insert(value)
        return value
    }

    private func putOptions() -> PutOptions {
        var options = PutOptions()
        options.isPurgeable = random.chance(0.3)
        if random.chance(0.2) {
            options.expiresAtMilliseconds = time.wallMilliseconds + Int64(random.below(20_000))
        }
        return options
    }
}
