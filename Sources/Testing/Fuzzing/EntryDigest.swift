import ShaleBase

/// A small summary of the entries of a cursor: equal for the same entries in either direction.
struct EntryDigest: Equatable {
    private(set) var count = 0
    private(set) var sum: UInt64 = 0
    private(set) var isOrdered = true

    /// Reads all entries to the end.
    init(_ cursor: EntryCursor, _ direction: Direction, each: (Entry) -> Void = { _ in }) throws {
        var previous: (key: [UInt8], trailer: UInt64)?
        try cursor.seek(nil, direction)
        while cursor.runCount > 0 {
            for index in 0..<cursor.runCount {
                let entry = unsafe cursor.run[index]
                let key = entry.key.array()
                if let previous {
                    let isOrdered = EntryDigest.areOrdered(previous, (key, entry.trailer.rawValue), direction)
                    self.isOrdered = self.isOrdered && isOrdered
                }
                previous = (key, entry.trailer.rawValue)
                add(entry)
                each(entry)
            }
            try cursor.fill()
        }
    }

    private mutating func add(_ entry: Entry) {
        count += 1
        let identity = XXH3.hash(entry.key) &* 31 &+ entry.trailer.rawValue
        sum &+= identity &* 0x9E37_79B9_7F4A_7C15 ^ XXH3.hash(entry.value) &+ UInt64(bitPattern: entry.expiry)
    }

    private static func areOrdered(
        _ before: (key: [UInt8], trailer: UInt64), _ after: (key: [UInt8], trailer: UInt64), _ direction: Direction
    ) -> Bool {
        let (low, high) = direction == .forward ? (before, after) : (after, before)
        return low.key == high.key ? low.trailer > high.trailer : low.key.lexicographicallyPrecedes(high.key)
    }
}
