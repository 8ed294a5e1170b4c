package import ShaleBase

extension ValueCode {
    /// Decodes a stored value into the first `count` bytes of `target`.
    ///
    /// ``slackBytes`` bytes after `stored` are readable, and `target` has room for as many after the value; their
    /// content is unspecified afterwards. The checksum of `stored` has been verified: this function checks that it is a
    /// valid value of exactly this length, and stays in bounds whatever it contains.
    ///
    /// - Complexity: O(`count`), about a nanosecond per byte.
    package func decode(_ stored: Bytes, count: Int, into target: MutableBytes) throws(ParseFailure) {
        assert(target.count >= count + ValueCode.slackBytes)
        try unsafe withTables { (items, distances, dictionary) throws(ParseFailure) in
            var input = BitInput(stored)
            var written = 0
            while written < count {
                try input.refill()
                var entry = unsafe items[input.next(ValueCodeFormat.itemBitsMax)]
                if entry & ValueCodeEntry.isNotLiteral == 0 {
                    // A refill holds five codes of at most 11 bits, so the entry after four literals is right, too.
                    var room = min(4, count &- written)
                    repeat {
                        target.store(UInt8(truncatingIfNeeded: entry &>> 12), at: written)
                        input.drop(ValueCodeEntry.codeBits(entry))
                        written &+= 1
                        room &-= 1
                        entry = unsafe items[input.next(ValueCodeFormat.itemBitsMax)]
                    } while room > 0 && entry & ValueCodeEntry.isNotLiteral == 0
                    continue
                }
                let length = try input.number(entry)
                if ValueCodeEntry.base(entry) == 0 {
                    target.store(UInt8(truncatingIfNeeded: length), at: written)
                    written &+= 1
                    continue
                }
                let distance = try unsafe input.number(distances[input.next(ValueCodeFormat.distanceBitsMax)])
                guard length <= count &- written else { throw ParseFailure("a value is longer than its length") }
                if distance <= written {
                    copy(in: target, at: written, length, distance)
                } else {
                    let start = dictionary.count &+ written &- distance
                    guard start >= 0, length <= dictionary.count &- start else {
                        throw ParseFailure("a value refers to text outside of its dictionary")
                    }
                    copy(dictionary, start, to: target, at: written, length)
                }
                written &+= length
            }
            guard input.isAtEnd else { throw ParseFailure("a value is shorter than its stored form") }
        }
    }

    /// Copies words of eight bytes, and so up to seven bytes more than `length`, from and into slack.
    @inline(__always)
    private func copy(_ source: Bytes, _ start: Int, to target: MutableBytes, at offset: Int, _ length: Int) {
        var done = 0
        repeat {
            let word = unsafe source.start.loadUnaligned(fromByteOffset: start &+ done, as: UInt64.self)
            unsafe target.start.storeBytes(of: word, toByteOffset: offset &+ done, as: UInt64.self)
            done &+= 8
        } while done < length
    }

    /// Repeats the bytes `distance` before `offset`.
    @inline(__always)
    private func copy(in target: MutableBytes, at offset: Int, _ length: Int, _ distance: Int) {
        if distance >= 8 { return copy(target.bytes, offset &- distance, to: target, at: offset, length) }
        for index in offset..<(offset &+ length) { target.store(target[index &- distance], at: index) }
    }
}

/// The bits of a stored value, from the lowest bit of its first byte on.
private struct BitInput {
    private let stored: Bytes
    /// The offset of the first byte that is not yet counted in `held`.
    private var offset = 0
    /// The next bits. Those from bit `held` on are zero or right.
    private var bits: UInt64 = 0
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
    func next(_ count: Int) -> Int { Int(truncatingIfNeeded: bits & (1 &<< UInt64(count) &- 1)) }

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
