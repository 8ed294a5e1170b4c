/// Keys in the order in which they will be visited, as text and as bytes, so that neither form has to be looked for.
struct VisitedKeys {
    /// What each position visits.
    let items: [Int]
    let texts: [String]
    /// One behind the other, ``TypedKey/byteCount`` each.
    let bytes: [UInt8]

    /// Every item below `entries` once in a shuffled order if `beginsWithAll`; random ones after that, up to `count`.
    init(count: Int, of entries: Int, seed: UInt64, beginsWithAll: Bool) {
        let order = Permutation(count: entries, seed: seed)
        items = (0..<count).map { position in
            beginsWithAll && position < entries
                ? order[position] : pick(seed &+ UInt64(position), below: entries)
        }
        texts = items.map(TypedKey.key)
        bytes = texts.flatMap(\.utf8)
    }

    /// Lends the keys of `range` one after the other, as bytes.
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
