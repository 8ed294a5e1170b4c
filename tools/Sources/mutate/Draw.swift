/// Draws mutations: the same ones for the same sources and seed.
struct Draw {
    private var state: UInt64

    init(seed: UInt64, area: String) {
        // FNV-1a: unlike `Hasher` it is the same in every process.
        state = area.utf8.reduce(0xcbf2_9ce4_8422_2325 ^ seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// SplitMix64.
    private mutating func next(below bound: Int) -> Int {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return Int((word ^ (word >> 31)) % UInt64(bound))
    }

    /// Draws up to `count` of `all` that do not overlap. Every operator is equally likely, and then every one of its
    /// places.
    mutating func take(_ count: Int, of all: [Mutation]) -> [Mutation] {
        var kinds = Mutation.Operator.allCases.map { kind in all.filter { $0.kind == kind } }
        kinds.removeAll(where: \.isEmpty)
        var taken: [Mutation] = []
        while taken.count < count, !kinds.isEmpty {
            let kind = next(below: kinds.count)
            let mutation = kinds[kind].remove(at: next(below: kinds[kind].count))
            if kinds[kind].isEmpty { kinds.remove(at: kind) }
            if !taken.contains(where: { $0.path == mutation.path && $0.range.overlaps(mutation.range) }) {
                taken.append(mutation)
            }
        }
        return taken
    }
}
