/// Keys in the order of visits, as text and as bytes, so that neither form has to be computed while measuring.
struct VisitedKeys {
    /// The item of each position.
    let items: [Int]
    let texts: [String]
    /// The concatenated keys, ``TypedKey/byteCount`` bytes each.
    let bytes: [UInt8]

    /// Makes `count` keys. If `beginsWithAll`, every item below `entries` comes first, once, in a shuffled order; the
    /// rest is random.
    init(count: Int, of entries: Int, seed: UInt64, beginsWithAll: Bool) {
        let order = Permutation(count: entries, seed: seed)
        items = (0..<count).map { position in
            beginsWithAll && position < entries
                ? order[position] : pick(seed &+ UInt64(position), below: entries)
        }
        texts = items.map(TypedKey.key)
        bytes = texts.flatMap(\.utf8)
    }

    /// Calls `body` with each key of `range`, borrowed as bytes.
    @inline(__always)
    func forEach(in range: Range<Int>, _ body: (Int, RawSpan) throws -> Void) rethrows {
        try unsafe bytes.withUnsafeBytes { buffer in
            for position in range {
                let start = position * TypedKey.byteCount
                let key = unsafe UnsafeRawBufferPointer(rebasing: buffer[start..<start + TypedKey.byteCount])
                try body(position, unsafe RawSpan(_unsafeBytes: key))
            }
        }
    }
}
