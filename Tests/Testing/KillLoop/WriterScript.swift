import ShalePlatform

/// The endless list of one writer's actions in one cycle.
struct WriterScript {
    private let random: SeededRandom
    private let writer: Int
    private let maintenance: Double
    private let valueMax: Int
    private let keyCount: Int
    /// For each of the writer's own namespaces, true if it exists.
    private var existing: [Bool]

    init(cycleSeed: UInt64, writer: Int, existing: [Bool]) {
        random = SeededRandom(seed: cycleSeed &+ UInt64(writer + 1) &* 0xD134_2543_DE82_EF95)
        self.writer = writer
        self.existing = existing
        // The same numbers for all writers of the cycle.
        let mood = SeededRandom(seed: cycleSeed &+ 0xA076_1D64_78BD_642F)
        maintenance = [0, 0.01, 0.03, 0.2][mood.below(4)]
        valueMax = [16, 200, 3000, 40_000][mood.below(4)]
        keyCount = [8, 100, 1000][mood.below(3)]
    }

    mutating func next() -> Action {
        if let missing = existing.firstIndex(of: false) {
            existing[missing] = true
            return .create(missing)
        }
        return random.chance(maintenance) ? nextMaintenance() : nextWrite()
    }

    private mutating func nextMaintenance() -> Action {
        let space = random.below(WriterSpaces.own.count)
        switch random.below(24) {
        case 0, 1:
            existing[space] = false
            return .drop(space)
        case 2, 3: return .truncate(space)
        case 4, 5, 6: return .purge(space)
        case 7: return .setOptions(space, random.bytes(random.below(20)))
        case 8...16: return .sync
        case 17...20: return .flush
        case 21: return .compact
        case 22: return .reclaim
        default: return .checkpoint
        }
    }

    private func nextWrite() -> Action {
        let count = random.chance(0.5) ? 1 : 1 + random.below(random.chance(0.1) ? 60 : 8)
        let isSynced = random.chance(0.1)
        return .write((0..<count).map { _ in nextMutation() }, synced: isSynced)
    }

    private func nextMutation() -> Mutation {
        let space = random.below(WriterSpaces.count)
        var key = WriterSpaces.prefix(writer: writer)
        key += Array("\(random.below(keyCount))".utf8)
        let isPut = random.chance(0.8)
        let value = Value(stamp: random.next(), count: random.below(random.chance(0.02) ? 4 * valueMax : valueMax))
        // Entries of the shared namespace are never purged.
        let isPurgeable = random.chance(0.4)
        return Mutation(space: space, key: key, value: isPut ? value : nil, isPurgeable: isPurgeable && isPut)
    }
}

/// The next action of a writer. The script's seed determines it, so that the parent knows it without a message.
enum Action {
    case create(Int)
    case write([Mutation], synced: Bool)
    case setOptions(Int, [UInt8])
    case purge(Int)
    case truncate(Int)
    case drop(Int)
    case sync
    case flush
    case compact
    case reclaim
    case checkpoint

    /// The number of sequences that the action takes.
    var sequences: UInt64 {
        switch self {
        case .write(let mutations, _): UInt64(mutations.count)
        case .setOptions, .purge, .truncate, .drop: 1
        case .create, .sync, .flush, .compact, .reclaim, .checkpoint: 0
        }
    }
}

/// A put, or a delete if there is no value.
struct Mutation {
    /// The index of the writer's namespace: see ``WriterSpaces``.
    let space: Int
    let key: [UInt8]
    let value: Value?
    let isPurgeable: Bool
}

/// A value, represented by its stamp and length. Stamps are random, so that no two values are equal by chance.
struct Value: Equatable {
    let stamp: UInt64
    let count: Int

    /// Repeats the stamp, unchanged in every fourth word, so that a part of the value compresses.
    var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        for index in bytes.indices {
            let word = index / 8 % 4 == 0 ? stamp : stamp &* UInt64(index / 8 | 1)
            bytes[index] = UInt8(truncatingIfNeeded: word &>> UInt64(index % 8 * 8))
        }
        return bytes
    }
}
