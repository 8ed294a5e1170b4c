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
