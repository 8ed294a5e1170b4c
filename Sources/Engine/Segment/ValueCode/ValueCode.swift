package import ShaleBase

/// The static code of a segment's values, made once from samples: a dictionary, and prefix codes unless it is plain.
///
/// Every value is coded by itself, as literals and as matches with the dictionary or with its own earlier bytes. So a
/// reader decodes one value and nothing else: ShaleEngine.docc, "Value codes".
///
/// Immutable and thread-safe.
@safe
package final class ValueCode: Sendable, Equatable {
    /// The bytes that must be readable after a stored value.
    package static let slackBytes = 16

    /// The dictionary, followed by ``slackBytes`` zeros.
    private let text: OwnedBytes
    /// True if values have the plain form (``PlainForm``). There are no prefix codes then.
    package let isPlain: Bool
    let items: PrefixCode
    let distances: PrefixCode
    /// The matches with an item of their own, in the order of the items.
    let pairs: [ValuePair]
    /// The code of each item but the pairs, then of each distance, then of each pair: code u16 | length in bits u16.
    let codes: OwnedBytes
    /// The decoding tables: an entry u32 for each 11 bits of an item, then for each 10 bits of a distance. The pairs
    /// follow: length u32 | distance u32.
    private let tables: OwnedBytes

    /// The text that values may refer to. Valid as long as this object lives.
    package var dictionary: Bytes { text.bytes.slice(0, text.count - ValueCode.slackBytes) }

    /// A hash of the stored form, equal for equal codes.
    package let identifier: UInt64

    /// The memory of this object in bytes.
    package var memoryBytes: Int { text.count + codes.count + tables.count }

    /// Makes the code of a dictionary and of prefix codes over the alphabets of ``ValueCodeFormat``, with an item for
    /// each pair.
    init(dictionary: Bytes, items: PrefixCode, distances: PrefixCode, pairs: [ValuePair] = []) {
        assert(items.lengths.count == ValueCodeFormat.itemCount + pairs.count)
        text = ValueCode.text(dictionary)
        isPlain = false
        self.items = items
        self.distances = distances
        self.pairs = pairs
        var stored = ByteBuffer(capacity: ValueCodeFormat.headerBytes + dictionary.count)
        ValueCode.encode(dictionary, items, distances, pairs, to: &stored)
        identifier = XXH3.hash(stored.bytes)
        codes = ValueCode.codes(items, distances)
        tables = OwnedBytes(
            count: 4 << ValueCodeFormat.itemBitsMax + 4 << ValueCodeFormat.distanceBitsMax + 8 * pairs.count)
        ValueCodeEntry.fill(itemTable, items)
        ValueCodeEntry.fill(distanceTable, distances: distances)
        for (index, pair) in pairs.enumerated() {
            pairTable.store(UInt32(pair.length), at: 8 * index)
            pairTable.store(UInt32(pair.distance), at: 8 * index + 4)
        }
    }

    /// Makes the plain code of a dictionary.
    package init(plain dictionary: Bytes) {
        text = ValueCode.text(dictionary)
        isPlain = true
        items = PrefixCode(counts: [], limit: ValueCodeFormat.itemBitsMax)
        distances = PrefixCode(counts: [], limit: ValueCodeFormat.distanceBitsMax)
        pairs = []
        var stored = ByteBuffer(capacity: 4 + dictionary.count)
        ValueCode.encode(plain: dictionary, to: &stored)
        identifier = XXH3.hash(stored.bytes)
        codes = OwnedBytes(count: 0)
        tables = OwnedBytes(count: 0)
    }

    /// Returns a dictionary, followed by ``slackBytes`` zeros.
    private static func text(_ dictionary: Bytes) -> OwnedBytes {
        assert(dictionary.count <= ValueCodeFormat.dictionaryBytesMax)
        let text = OwnedBytes(count: dictionary.count + slackBytes)
        text.mutable.copy(dictionary, at: 0)
        text.mutable.zero(dictionary.count, slackBytes)
        return text
    }

    private static func codes(_ items: PrefixCode, _ distances: PrefixCode) -> OwnedBytes {
        let order =
            items.codes.indices.prefix(ValueCodeFormat.itemCount).map { (items.codes[$0], items.lengths[$0]) }
            + distances.codes.indices.map { (distances.codes[$0], distances.lengths[$0]) }
            + items.codes.indices.dropFirst(ValueCodeFormat.itemCount).map { (items.codes[$0], items.lengths[$0]) }
        let codes = OwnedBytes(count: 4 * order.count)
        for (index, code) in order.enumerated() {
            codes.mutable.store(UInt32(code.0) | UInt32(code.1) << 16, at: 4 * index)
        }
        return codes
    }

    private var itemTable: MutableBytes { tables.mutable.slice(0, 4 << ValueCodeFormat.itemBitsMax) }
    private var distanceTable: MutableBytes {
        tables.mutable.slice(4 << ValueCodeFormat.itemBitsMax, 4 << ValueCodeFormat.distanceBitsMax)
    }

    private var pairTable: MutableBytes {
        tables.mutable.suffix(from: 4 << ValueCodeFormat.itemBitsMax + 4 << ValueCodeFormat.distanceBitsMax)
    }

    /// Calls `body` with the tables and the dictionary. The code is not plain.
    @inline(__always)
    func withTables<R>(_ body: (ValueTables) throws(ParseFailure) -> R) throws(ParseFailure) -> R {
        defer { withExtendedLifetime(self) {} }
        let items = unsafe tables.bytes.start.assumingMemoryBound(to: UInt32.self)
        let distances = unsafe items + 1 << ValueCodeFormat.itemBitsMax
        return try body(
            unsafe ValueTables(
                items: items, distances: distances, pairs: pairTable.bytes, dictionary: dictionary))
    }

    package static func == (a: ValueCode, b: ValueCode) -> Bool { a.identifier == b.identifier }
}

/// An entry of a decoding table, found by the next bits of a stored value.
///
/// Bits 0 to 3: the length of the code, 0 if no code begins with these bits. Bits 4 and 5: zero. Bit 6: a pair. Bit 7:
/// not a literal. From bit 8: the literal; otherwise bits 8 to 11 are the number of extra bits, and from bit 12 on the
/// smallest length or the smallest distance, the number of the pair, or 0 for an escape.
enum ValueCodeEntry {
    static let isNotLiteral: UInt32 = 1 << 7
    static let isPair: UInt32 = 1 << 6

    @inline(__always) static func codeBits(_ entry: UInt32) -> UInt64 { UInt64(entry & 15) }
    /// Returns the length of four literals' codes together.
    @inline(__always)
    static func codeBits(_ first: UInt32, _ second: UInt32, _ third: UInt32, _ fourth: UInt32) -> UInt64 {
        UInt64((first &+ second &+ third &+ fourth) & 63)
    }

    /// Returns the bits after the code of `entry`. A shift takes the six lowest bits of a number, and of these an entry
    /// has none but the length.
    @inline(__always) static func skip(_ entry: UInt32, _ bits: UInt64) -> UInt64 { bits &>> UInt64(entry) }

    @inline(__always) static func literal(_ entry: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: entry &>> 8) }
    @inline(__always) static func extraBits(_ entry: UInt32) -> UInt64 { UInt64(entry &>> 8 & 15) }
    @inline(__always) static func base(_ entry: UInt32) -> Int { Int(entry &>> 12) }

    static func fill(_ table: MutableBytes, _ items: PrefixCode) {
        fill(table, items) { symbol in
            if symbol < ValueCodeFormat.firstLength { return UInt32(symbol) << 8 }
            if symbol == ValueCodeFormat.escape { return UInt32(ValueCodeFormat.escapeBits) << 8 | isNotLiteral }
            if symbol >= ValueCodeFormat.itemCount {
                return UInt32(symbol - ValueCodeFormat.itemCount) << 12 | isPair | isNotLiteral
            }
            let (base, extraBits) = ValueCodeFormat.length(symbol - ValueCodeFormat.firstLength)
            return UInt32(base) << 12 | UInt32(extraBits) << 8 | isNotLiteral
        }
    }

    static func fill(_ table: MutableBytes, distances: PrefixCode) {
        fill(table, distances) { symbol in
            let (base, extraBits) = ValueCodeFormat.distance(symbol)
            return UInt32(base) << 12 | UInt32(extraBits) << 8 | isNotLiteral
        }
    }

    private static func fill(_ table: MutableBytes, _ code: PrefixCode, _ content: (Int) -> UInt32) {
        let count = table.count / 4
        for index in 0..<count { table.store(isNotLiteral, at: 4 * index) }
        for (symbol, length) in code.lengths.enumerated() where length > 0 {
            let entry = content(symbol) | UInt32(length)
            for index in stride(from: Int(code.codes[symbol]), to: count, by: 1 << Int(length)) {
                table.store(entry, at: 4 * index)
            }
        }
    }
}
