/// What one writer does next. Everything about it follows from the script's seed, so that the parent knows it without
/// being told.
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

    /// How many sequences it takes.
    var sequences: UInt64 {
        switch self {
        case .write(let mutations, _): UInt64(mutations.count)
        case .setOptions, .purge, .truncate, .drop: 1
        case .create, .sync, .flush, .compact, .reclaim, .checkpoint: 0
        }
    }
}

/// A put, or a delete when there is no value.
struct Mutation {
    /// Which of the writer's namespaces: see ``WriterSpaces``.
    let space: Int
    let key: [UInt8]
    let value: Value?
    let isPurgeable: Bool
}

/// A value, by what it is made of: no two are equal by chance.
struct Value: Equatable {
    let stamp: UInt64
    let count: Int

    /// The stamp again and again, every fourth time as it is: some of it compresses.
    var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        for index in bytes.indices {
            let word = index / 8 % 4 == 0 ? stamp : stamp &* UInt64(index / 8 | 1)
            bytes[index] = UInt8(truncatingIfNeeded: word &>> UInt64(index % 8 * 8))
        }
        return bytes
    }
}
