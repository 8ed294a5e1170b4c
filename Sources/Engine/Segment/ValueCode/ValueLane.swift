import ShaleBase

/// The tables that decoding needs of a value code, as plain pointers. Borrowed from the ``ValueCode``.
@safe
struct ValueTables {
    private let items: UnsafePointer<UInt32>
    private let distances: UnsafePointer<UInt32>
    private let pairs: Bytes
    let dictionary: Bytes

    init(items: UnsafePointer<UInt32>, distances: UnsafePointer<UInt32>, pairs: Bytes, dictionary: Bytes) {
        unsafe self.items = items
        unsafe self.distances = distances
        self.pairs = pairs
        self.dictionary = dictionary
    }

    /// Returns the entry of the next item, whose code begins with the lowest of `bits`.
    @inline(__always)
    func item(_ bits: UInt64) -> UInt32 {
        unsafe items[Int(truncatingIfNeeded: bits & (1 &<< UInt64(ValueCodeFormat.itemBitsMax) &- 1))]
    }

    /// Returns the pair of an entry that stands for one.
    @inline(__always)
    func pair(_ entry: UInt32) -> ValuePair {
        let place = 8 &* ValueCodeEntry.base(entry)
        return ValuePair(length: Int(pairs.u32(at: place)), distance: Int(pairs.u32(at: place &+ 4)))
    }

    @inline(__always)
    func distance(_ bits: UInt64) -> UInt32 {
        unsafe distances[Int(truncatingIfNeeded: bits & (1 &<< UInt64(ValueCodeFormat.distanceBitsMax) &- 1))]
    }
}

/// A stored value that is being decoded.
///
/// Each code depends on the one before, so a processor that decodes one value waits most of the time. Steps of two
/// lanes in turns fill the gaps: ``ValueCode/decode(_:_:_:into:)``.
///
/// A lane writes its value and nothing behind it, so that the value behind may be decoded at the same time.
struct ValueLane {
    private var input: BitInput
    private let target: MutableBytes
    private var written = 0

    /// Begins a value, which fills `target`. ``ValueCode/slackBytes`` are readable after `stored`.
    @inline(__always)
    init(_ stored: Bytes, into target: MutableBytes) {
        input = BitInput(stored)
        self.target = target
    }

    /// A lane without a value.
    static var closed: ValueLane { ValueLane(.empty, into: .empty) }

    /// True if bytes are missing.
    @inline(__always)
    var isOpen: Bool { written < target.count }

    /// Throws unless the stored form ends where the value ends. Call it when the lane is no longer open.
    @inline(__always)
    func finish() throws(ParseFailure) {
        guard input.isAtEnd else { throw ParseFailure("a value is shorter than its stored form") }
    }

    /// Decodes the value to its end.
    @inline(__always)
    mutating func run(_ tables: ValueTables) throws(ParseFailure) {
        guard isOpen else { return }
        repeat { try step(tables) } while isOpen
        try finish()
    }

    /// Decodes up to four literals, or one match. The lane is open.
    @inline(__always)
    mutating func step(_ tables: ValueTables) throws(ParseFailure) {
        try input.refill()
        let entry = tables.item(input.bits)
        guard entry & ValueCodeEntry.isNotLiteral != 0 else { return putLiterals(entry, tables) }
        if entry & ValueCodeEntry.isPair != 0 {
            input.drop(ValueCodeEntry.codeBits(entry))
            return try copy(tables.pair(entry), tables.dictionary)
        }
        let length = try input.number(entry)
        guard ValueCodeEntry.base(entry) != 0 else { return put(UInt8(truncatingIfNeeded: length)) }
        let distance = try input.number(tables.distance(input.bits))
        try copy(ValuePair(length: length, distance: distance), tables.dictionary)
    }

    /// Decodes the literal of an entry, and up to three that follow.
    @inline(__always)
    private mutating func putLiterals(_ first: UInt32, _ tables: ValueTables) {
        // A refill holds five codes of at most 11 bits, so the entries of four literals are right. An entry that is
        // none is looked up in vain.
        if target.count &- written >= 4 {
            let bits = ValueCodeEntry.skip(first, input.bits)
            let second = tables.item(bits)
            let afterSecond = ValueCodeEntry.skip(second, bits)
            let third = tables.item(afterSecond)
            let afterThird = ValueCodeEntry.skip(third, afterSecond)
            let fourth = tables.item(afterThird)
            if (second | third | fourth) & ValueCodeEntry.isNotLiteral == 0 {
                target.store(ValueCodeEntry.literal(first), at: written)
                target.store(ValueCodeEntry.literal(second), at: written &+ 1)
                target.store(ValueCodeEntry.literal(third), at: written &+ 2)
                target.store(ValueCodeEntry.literal(fourth), at: written &+ 3)
                written &+= 4
                input.drop(ValueCodeEntry.codeBits(first, second, third, fourth))
                return
            }
        }
        putLiteralsOneByOne(first, tables)
    }

    @inline(__always)
    private mutating func putLiteralsOneByOne(_ first: UInt32, _ tables: ValueTables) {
        var entry = first
        let left = target.count &- written
        var room = left < 4 ? left : 4
        repeat {
            put(ValueCodeEntry.literal(entry))
            input.drop(ValueCodeEntry.codeBits(entry))
            room &-= 1
            entry = tables.item(input.bits)
        } while room > 0 && entry & ValueCodeEntry.isNotLiteral == 0
    }

    @inline(__always)
    private mutating func put(_ literal: UInt8) {
        target.store(literal, at: written)
        written &+= 1
    }

    @inline(__always)
    private mutating func copy(_ match: ValuePair, _ dictionary: Bytes) throws(ParseFailure) {
        let (length, distance) = (match.length, match.distance)
        guard length <= target.count &- written else { throw ParseFailure("a value is longer than its length") }
        defer { written &+= length }
        if distance <= written {
            guard distance >= 8 else { return repeatBytes(length, distance) }
            return ValueLane.copy(target.bytes, written &- distance, to: target, at: written, length)
        }
        let start = dictionary.count &+ written &- distance
        guard start >= 0, length <= dictionary.count &- start else {
            throw ParseFailure("a value refers to text outside of its dictionary")
        }
        ValueLane.copy(dictionary, start, to: target, at: written, length)
    }

    /// Copies exactly `length` bytes. If the ranges overlap, the target begins at least eight bytes after the source.
    @inline(__always)
    private static func copy(_ source: Bytes, _ start: Int, to target: MutableBytes, at offset: Int, _ length: Int) {
        guard length >= 8 else { return copyShort(source, start, to: target, at: offset, length) }
        let last = length &- 8
        var done = 0
        while done < last {
            target.store(source.u64(at: start &+ done), at: offset &+ done)
            done &+= 8
        }
        // Overlaps the word before, if the length is no multiple of eight. Its source is complete, because it ends at
        // least eight bytes before the end of the target.
        target.store(source.u64(at: start &+ last), at: offset &+ last)
    }

    @inline(__always)
    private static func copyShort(
        _ source: Bytes, _ start: Int, to target: MutableBytes, at offset: Int, _ length: Int
    ) {
        guard length >= 4 else {
            for index in 0..<length { target.store(source[start &+ index], at: offset &+ index) }
            return
        }
        let (first, last) = (source.u32(at: start), source.u32(at: start &+ length &- 4))
        target.store(first, at: offset)
        target.store(last, at: offset &+ length &- 4)
    }

    /// Repeats the bytes `distance` before the end, fewer than eight.
    @inline(__always)
    private func repeatBytes(_ length: Int, _ distance: Int) {
        for index in written..<(written &+ length) { target.store(target[index &- distance], at: index) }
    }
}

/// The bits of a stored value, from the lowest bit of its first byte on.
struct BitInput {
    private let stored: Bytes
    /// The offset of the first byte that is not yet counted in `held`.
    private var offset = 0
    /// The next bits. Those from bit `held` on are zero or right.
    private(set) var bits: UInt64 = 0
    private var held: UInt64 = 0

    @inline(__always)
    init(_ stored: Bytes) { self.stored = stored }

    /// Loads at least 56 bits. Those after the end of the value are arbitrary.
    @inline(__always)
    mutating func refill() throws(ParseFailure) {
        // The load then begins at most seven bytes after the value, and ends in the slack.
        guard offset &- heldBytes <= stored.count else { throw ParseFailure("a value is cut short") }
        let word = unsafe stored.start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        bits |= UInt64(littleEndian: word) &<< held
        offset &+= Int(truncatingIfNeeded: (63 &- held) &>> 3)
        held |= 56
    }

    @inline(__always)
    mutating func drop(_ count: UInt64) {
        bits &>>= count
        held &-= count
    }

    /// Drops the code of `entry` and its extra bits, and returns the number that they stand for.
    @inline(__always)
    mutating func number(_ entry: UInt32) throws(ParseFailure) -> Int {
        let codeBits = ValueCodeEntry.codeBits(entry)
        guard codeBits > 0 else { throw ParseFailure("a value has an unknown code") }
        drop(codeBits)
        let extraBits = ValueCodeEntry.extraBits(entry)
        let extra = bits & (1 &<< extraBits &- 1)
        drop(extraBits)
        return ValueCodeEntry.base(entry) &+ Int(truncatingIfNeeded: extra)
    }

    /// True if the last bit that was dropped lies in the last byte.
    @inline(__always)
    var isAtEnd: Bool { offset &- heldBytes == stored.count }

    /// The number of whole bytes in `held`.
    @inline(__always)
    private var heldBytes: Int { Int(truncatingIfNeeded: held &>> 3) }
}
