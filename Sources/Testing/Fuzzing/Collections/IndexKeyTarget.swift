import Shale
import ShaleBase
import ShaleCollections

extension FuzzTarget {
    /// Input: a byte of flags, then the elements of a composite key, which become columns; and all of it as an entry.
    static let indexKey = FuzzTarget(
        "index-key", "index keys of collections: order, prefixes, entries", seeds: IndexKeyTarget.seeds
    ) { input in
        guard let flags = input.first else { return }
        try IndexKeyTarget.requireEntry(Array(input.dropFirst()), invertsPrimary: flags & 1 == 1)
        let elements: [CompositeKey.Element]
        do throws(StorageError) {
            elements = try CompositeKey(bytes: Array(input.dropFirst())).elements
        } catch {
            return try requireTyped(error, [.codecFailure], namesPosition: false)
        }
        for element in elements { try IndexKeyTarget.requireRoundTrip(element) }
        for (a, b) in zip(elements, elements.dropFirst()) {
            try IndexKeyTarget.requireOrder(a, b, isDescending: flags & 2 == 2)
        }
    }
}

private enum IndexKeyTarget {
    private static let valueBytesMax = 5

    /// Checks that an entry that is read names a part of its key, and is written again as it was.
    static func requireEntry(_ input: [UInt8], invertsPrimary: Bool) throws {
        for count in 0...min(valueBytesMax, input.count) {
            let (value, key) = (Array(input[..<count]), Array(input[count...]))
            let entry: (primary: [UInt8], cutEnd: Int?)
            do throws(StorageError) {
                entry = try CollectionParsers.entry(value, key: key, invertsPrimary: invertsPrimary)
            } catch {
                try requireTyped(error, [.corruption], namesPosition: false)
                continue
            }
            try require(!entry.primary.isEmpty, "an entry has an empty primary key")
            try require(entry.cutEnd.map { $0 <= key.count } ?? true, "a cut lies behind the key")
            guard value.first == 0 else { continue }
            let columnBytes = key.count - entry.primary.count
            let again = CollectionParsers.entryValue(columnBytes: columnBytes, cutEnd: entry.cutEnd)
            try require(again == value || entry.cutEnd == key.count, "an entry changes when it is written again")
            let tail = Array(key[columnBytes...])
            try require(entry.primary == (invertsPrimary ? tail.map { ~$0 } : tail), "a primary key is another one")
        }
    }

    /// Checks that a column that was not cut is an element again.
    static func requireRoundTrip(_ element: CompositeKey.Element) throws {
        let column = CollectionParsers.column(element, isDescending: false)
        guard !column.isCut else { return }
        let again = try CompositeKey(bytes: column.bytes).elements
        try require(again.count == 1, "a column is \(again.count) elements")
        try require(
            CollectionParsers.isSame(again[0], CollectionParsers.canonical(element)), "a column has another value")
        let inverted = CollectionParsers.column(element, isDescending: true)
        try require(inverted.bytes == column.bytes.map { ~$0 }, "a descending column is not the inverse")
    }

    /// Checks that two columns are ordered as their values, and that neither is the beginning of the other.
    static func requireOrder(_ a: CompositeKey.Element, _ b: CompositeKey.Element, isDescending: Bool) throws {
        let (left, right) = (
            CollectionParsers.column(a, isDescending: isDescending),
            CollectionParsers.column(b, isDescending: isDescending)
        )
        if left.bytes == right.bytes {
            try require(CollectionParsers.isSame(a, b) || left.isCut && right.isCut, "two values have one column")
            return
        }
        try require(!CollectionParsers.isSame(a, b), "one value has two columns")
        try require(
            !left.bytes.starts(with: right.bytes) && !right.bytes.starts(with: left.bytes),
            "a column is the beginning of another one")
        // Cut values are ordered by their beginnings, and then by hashes.
        guard !(left.isCut && right.isCut) else { return }
        let isLess = left.bytes.lexicographicallyPrecedes(right.bytes) != isDescending
        if CollectionParsers.isLess(a, b) { try require(isLess, "a smaller value comes later") }
        if CollectionParsers.isLess(b, a) { try require(!isLess, "a larger value comes earlier") }
    }

    static func seeds() throws -> [[UInt8]] {
        let long = String(repeating: "a", count: 512)
        let lists: [[(any CompositeKeyElement)?]] = [
            [nil, "", "a", "a\u{0}b", "a\u{1}", "é", "e\u{301}"], [-1, 0, 1, 255, 256, Int.min, Int.max, UInt64.max],
            [0.0, -0.0, 1.5, -1.5, Double.infinity, Double.nan, -Double.nan], [false, true],
            [[0, 1, 2] as [UInt8], [] as [UInt8], [1] as [UInt8]], [long, long + "b", long + "c"],
        ]
        let keys = lists.map { CompositeKey(elements: $0).bytes }
        return keys.map { [0] + $0 } + keys.map { [2] + $0 }
            + [[0, 0, 0, 2, 3, 97, 0, 0x15, 1], [1, 0, 0, 3, 0, 2, 1, 2, 3, 4], [0, 1, 0x15, 7]]
    }
}
