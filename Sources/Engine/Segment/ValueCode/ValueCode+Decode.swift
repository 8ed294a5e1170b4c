package import ShaleBase

extension ValueCode {
    /// Decodes a stored value into the first `count` bytes of `target`.
    ///
    /// ``slackBytes`` bytes after `stored` are readable, and as many after the value are writable. The checksum of
    /// `stored` has been verified: this function checks that it is a valid value of exactly this length, and stays in
    /// bounds whatever it contains.
    ///
    /// - Complexity: O(`count`), about a nanosecond per byte.
    package func decode(_ stored: Bytes, count: Int, into target: MutableBytes) throws(ParseFailure) {
        if isPlain {
            defer { withExtendedLifetime(self) {} }
            return try PlainValue.decode(stored, count: count, into: target, dictionary)
        }
        try withTables { (tables) throws(ParseFailure) in
            var lane = ValueLane(stored, into: target.slice(0, count))
            while lane.isOpen { try lane.step(tables) }
            try lane.finish()
        }
    }
}

/// The lengths of the values of a block.
protocol ValueLengths {
    func valueLength(_ index: Int) -> Int
    /// The length of a value as stored. It equals that of the value if the value is stored as it is.
    func storedLength(_ index: Int) -> Int
}

extension ValueCode {
    /// Decodes the values of some entries, which are stored one after the other, into `target`, one after the other.
    ///
    /// ``slackBytes`` are readable after `stored`, and as many of `target` are writable after the values. The checksum
    /// of `stored` has been verified: the function stays in bounds whatever it contains.
    ///
    /// - Returns: The number of stored bytes.
    func decode(
        _ stored: Bytes, _ entries: Range<Int>, _ lengths: some ValueLengths, into target: MutableBytes
    ) throws(ParseFailure) -> Int {
        if isPlain { return try decodePlain(stored, entries, lengths, into: target) }
        // Two values in turns take less time than one after the other.
        var feed = ValueFeed(stored, entries, lengths, into: target)
        try withTables { (tables) throws(ParseFailure) in
            var first = try feed.next()
            var second = try feed.next()
            while first.isOpen && second.isOpen {
                try first.step(tables)
                try second.step(tables)
                try feed.refill(&first)
                try feed.refill(&second)
            }
            // No value is left but that of one lane.
            try first.run(tables)
            try second.run(tables)
        }
        return feed.storedCount
    }

    private func decodePlain(
        _ stored: Bytes, _ entries: Range<Int>, _ lengths: some ValueLengths, into target: MutableBytes
    ) throws(ParseFailure) -> Int {
        let text = dictionary
        defer { withExtendedLifetime(self) {} }
        let room = target.count &- ValueCode.slackBytes
        var from = 0
        var count = 0
        for index in entries {
            let (length, storedLength) = (lengths.valueLength(index), lengths.storedLength(index))
            guard storedLength <= stored.count &- from, length <= room &- count else {
                throw ParseFailure("a page is shorter than its values")
            }
            if storedLength == length {
                PlainValue.copy(stored, from, to: target, at: count, length)
            } else {
                guard storedLength < length, length <= ValueCodeFormat.valueBytesMax else {
                    throw ParseFailure("a stored value's length is invalid")
                }
                try PlainValue.decode(
                    stored.slice(from, storedLength), count: length, into: target.suffix(from: count), text)
            }
            from &+= storedLength
            count &+= length
        }
        return from
    }
}

/// Hands out the stored values of adjacent entries, and copies those that are stored as they are.
private struct ValueFeed<Lengths: ValueLengths> {
    private let stored: Bytes
    private let target: MutableBytes
    private let lengths: Lengths
    private var index: Int
    private let end: Int
    /// The number of stored bytes handed out.
    private(set) var storedCount = 0
    private var count = 0

    init(_ stored: Bytes, _ entries: Range<Int>, _ lengths: Lengths, into target: MutableBytes) {
        self.stored = stored
        self.target = target
        self.lengths = lengths
        index = entries.lowerBound
        end = entries.upperBound
    }

    /// Gives a lane that has finished its value the next one.
    @inline(__always)
    mutating func refill(_ lane: inout ValueLane) throws(ParseFailure) {
        guard !lane.isOpen else { return }
        try lane.finish()
        lane = try next()
    }

    /// Returns a lane with the next value that is coded; a closed one if none is left.
    @inline(never)
    mutating func next() throws(ParseFailure) -> ValueLane {
        while index < end {
            let (length, storedLength) = (lengths.valueLength(index), lengths.storedLength(index))
            guard storedLength <= stored.count &- storedCount, length <= target.count &- count else {
                throw ParseFailure("a page is shorter than its values")
            }
            let (source, place) = (stored.slice(storedCount, storedLength), target.slice(count, length))
            storedCount &+= storedLength
            count &+= length
            index &+= 1
            if storedLength == length {
                place.copy(source, at: 0)
                continue
            }
            guard storedLength < length, length <= ValueCodeFormat.valueBytesMax else {
                throw ParseFailure("a stored value's length is invalid")
            }
            return ValueLane(source, into: place)
        }
        return .closed
    }
}
