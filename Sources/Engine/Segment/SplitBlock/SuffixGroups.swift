import ShaleBase

/// The key suffixes of a split block in groups of 16. Borrowed.
///
/// ```
/// offset u32 of each group, from the end of this table | items
/// item := shared | length | bytes
/// ```
///
/// A suffix is the first `shared` bytes of the suffix before, then the item's bytes. The first item of a group shares
/// nothing, so a search halves the groups and then walks through one. The two numbers have a width of 1 or 2 bytes.
///
/// Every function checks the items that it reads, and stays in bounds whatever they contain. ``place(after:equalTo:)``
/// and ``lowerBound(_:)`` are right if the suffixes ascend.
struct SuffixGroups {
    private let table: Bytes
    private let items: Bytes
    private let width: Int
    let count: Int

    struct Item {
        /// The number of bytes that this suffix has in common with the one before.
        let shared: Int
        let rest: Bytes
        /// The offset of the next item.
        let end: Int
    }

    /// A suffix and its comparison with a sought one.
    struct Place {
        let index: Int
        let isEqual: Bool
        /// The offset of the next item.
        fileprivate let end: Int
    }

    init(_ bytes: Bytes, count: Int, width: Int) throws(ParseFailure) {
        assert(count >= 1 && (width == 1 || width == 2))
        let tableBytes = 4 * SuffixGroups.groupCount(count)
        guard tableBytes <= bytes.count else { throw ParseFailure("a key part's groups are cut short") }
        table = bytes.slice(0, tableBytes)
        items = bytes.suffix(from: tableBytes)
        self.width = width
        self.count = count
    }

    static func groupCount(_ count: Int) -> Int {
        (count + SplitBlockFormat.groupLength - 1) / SplitBlockFormat.groupLength
    }

    /// The length of all items together.
    var itemsLength: Int { items.count }

    /// Returns the offset of a group's first item. It may lie outside of the items.
    func offset(ofGroup group: Int) -> Int { Int(table.u32(at: 4 * group)) }

    @inline(__always)
    func item(at offset: Int) throws(ParseFailure) -> Item {
        let start = offset &+ 2 &* width
        guard start <= items.count else { throw ParseFailure("a key part's groups are cut short") }
        let shared = width == 1 ? Int(items[offset]) : Int(items.u16(at: offset))
        let length = width == 1 ? Int(items[offset &+ 1]) : Int(items.u16(at: offset &+ 2))
        guard length <= items.count &- start else { throw ParseFailure("a key part's groups are cut short") }
        return Item(shared: shared, rest: items.slice(start, length), end: start &+ length)
    }

    /// Returns the first item of a group, which contains the whole suffix.
    func first(ofGroup group: Int) throws(ParseFailure) -> Item {
        let item = try item(at: offset(ofGroup: group))
        guard item.shared == 0 else { throw ParseFailure("a key part's group begins within a key") }
        return item
    }

    // MARK: Search

    /// Returns the place of the first suffix ≥ `wanted`; `nil` if all are below.
    func lowerBound(_ wanted: Bytes) throws(ParseFailure) -> Place? {
        var low = 0
        var high = SuffixGroups.groupCount(count)
        while low < high {
            let middle = (low + high) / 2
            if Bytes.compare(try first(ofGroup: middle).rest, wanted) < 0 { low = middle + 1 } else { high = middle }
        }
        // Group `low` is the first that begins at or above the wanted suffix, so the place is in the group before, or
        // the first one of `low`.
        if low > 0, let place = try lowerBound(wanted, inGroup: low - 1) { return place }
        let index = low * SplitBlockFormat.groupLength
        guard index < count else { return nil }
        let item = try first(ofGroup: low)
        return Place(index: index, isEqual: item.rest == wanted, end: item.end)
    }

    /// Searches a group that begins below `wanted`.
    ///
    /// No suffix is put together. Let `matched` be the number of bytes that the suffix before, which is below, has in
    /// common with `wanted`.
    /// 1. An item that shares more than that has the byte by which the one before is below, and is below by the same.
    /// 2. Otherwise the shared bytes are those of `wanted`, and the rest decides.
    private func lowerBound(_ wanted: Bytes, inGroup group: Int) throws(ParseFailure) -> Place? {
        let start = group * SplitBlockFormat.groupLength
        var item = try first(ofGroup: group)
        var previousCount = item.rest.count
        var matched = item.rest.sharedPrefixCount(with: wanted)
        for index in (start + 1)..<min(start + SplitBlockFormat.groupLength, count) {
            item = try self.item(at: item.end)
            guard item.shared <= previousCount else { throw ParseFailure("a key part's key shares too much") }
            previousCount = item.shared &+ item.rest.count
            if item.shared > matched { continue }
            let rest = wanted.suffix(from: item.shared)
            let order = Bytes.compare(item.rest, rest)
            if order >= 0 { return Place(index: index, isEqual: order == 0, end: item.end) }
            matched = item.shared &+ item.rest.sharedPrefixCount(with: rest)
        }
        return nil
    }

    /// Returns the place after `place`, whose suffix equals `wanted`; `nil` if it is the last one.
    func place(after place: Place, equalTo wanted: Bytes) throws(ParseFailure) -> Place? {
        let index = place.index + 1
        guard index < count else { return nil }
        let isFirst = index % SplitBlockFormat.groupLength == 0
        let item = isFirst ? try first(ofGroup: index / SplitBlockFormat.groupLength) : try item(at: place.end)
        guard item.shared <= wanted.count else { throw ParseFailure("a key part's key shares too much") }
        return Place(index: index, isEqual: item.rest == wanted.suffix(from: item.shared), end: item.end)
    }
}

/// Encodes suffixes in groups. Reuses its memory.
struct SuffixGroupsBuilder: ~Copyable {
    private var items = ByteBuffer()
    private var offsets = ByteBuffer()
    private var count = 0

    /// The width for suffixes of at most `longest` bytes.
    static func width(longest: Int) -> Int { longest <= 0xff ? 1 : 2 }

    /// The length of the encoded form.
    var encodedBytes: Int { offsets.count + items.count }

    mutating func removeAll() {
        items.removeAll()
        offsets.removeAll()
        count = 0
    }

    /// Adds a suffix; `previous` is the one before.
    mutating func add(_ suffix: Bytes, after previous: Bytes, width: Int) {
        var shared = 0
        if count % SplitBlockFormat.groupLength == 0 {
            offsets.append(UInt32(items.count))
        } else {
            shared = suffix.sharedPrefixCount(with: previous)
        }
        append(shared, width)
        append(suffix.count - shared, width)
        items.append(suffix.suffix(from: shared))
        count += 1
    }

    private mutating func append(_ number: Int, _ width: Int) {
        if width == 1 { items.append(UInt8(number)) } else { items.append(UInt16(number)) }
    }

    func encode(to output: inout ByteBuffer) {
        output.append(offsets.bytes)
        output.append(items.bytes)
    }
}
