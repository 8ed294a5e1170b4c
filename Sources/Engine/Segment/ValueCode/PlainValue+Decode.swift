import ShaleBase

/// Decoding of values in the plain form.
///
/// Everything is copied in pieces of sixteen bytes, which may end behind what is copied: sixteen bytes are readable
/// after a stored value and after the dictionary, and as many are writable after the value. What a piece writes behind
/// its end is overwritten by the next one, or lies behind the value.
enum PlainValue {
    /// The size of a piece.
    private static let pieceBytes = 16

    /// Decodes a stored value into the first `count` bytes of `target`, behind which a piece is writable.
    ///
    /// Checks that `stored` is a value of exactly this length, and stays in bounds whatever it contains.
    @inline(__always)
    static func decode(
        _ stored: Bytes, count: Int, into target: MutableBytes, _ dictionary: Bytes
    ) throws(ParseFailure) {
        var from = 0
        var written = 0
        while written < count {
            // A step has at most five bytes before its literals, which are readable if one of them is inside.
            guard from < stored.count else { throw ParseFailure("a value is cut short") }
            let step = PlainStep(stored, at: from)
            guard step.literals &+ step.length <= count &- written else {
                throw ParseFailure("a value is longer than its length")
            }
            guard step.literalBytes <= stored.count &- step.head else { throw ParseFailure("a value is cut short") }
            if step.isPacked {
                unpack(stored, step.head, to: target, at: written, step.literals)
            } else {
                copy(stored, step.head, to: target, at: written, step.literals)
            }
            from = step.head &+ step.literalBytes
            written &+= step.literals
            guard step.length > 0 else { continue }
            try copyMatch(step.length, step.distance, to: target, at: written, dictionary)
            written &+= step.length
        }
        guard from == stored.count else { throw ParseFailure("a value is shorter than its stored form") }
    }

    @inline(__always)
    private static func copyMatch(
        _ length: Int, _ distance: Int, to target: MutableBytes, at offset: Int, _ dictionary: Bytes
    ) throws(ParseFailure) {
        if distance <= offset {
            guard distance >= pieceBytes else { return try repeatBytes(length, distance, to: target, at: offset) }
            return copy(target.bytes, offset &- distance, to: target, at: offset, length)
        }
        let start = dictionary.count &+ offset &- distance
        guard start >= 0, length <= dictionary.count &- start else {
            throw ParseFailure("a value refers to text outside of its dictionary")
        }
        copy(dictionary, start, to: target, at: offset, length)
    }

    /// Copies `count` bytes, or more within the last piece. If the ranges overlap, the target begins at least a piece
    /// after the source, so that each piece is complete when it is read.
    @inline(__always)
    static func copy(_ source: Bytes, _ start: Int, to target: MutableBytes, at offset: Int, _ count: Int) {
        assert(start >= 0 && offset >= 0 && start &+ count <= source.count && offset &+ count <= target.count)
        var done = 0
        repeat {
            let piece = unsafe source.start.loadUnaligned(
                fromByteOffset: start &+ done, as: SIMD2<UInt64>.self)
            unsafe target.start.storeBytes(of: piece, toByteOffset: offset &+ done, as: SIMD2<UInt64>.self)
            done &+= pieceBytes
        } while done < count
    }

    /// Unpacks literals, eight at a time.
    @inline(__always)
    private static func unpack(
        _ stored: Bytes, _ start: Int, to target: MutableBytes, at offset: Int, _ count: Int
    ) {
        assert(start &+ PlainForm.packedCount(count) <= stored.count && offset &+ count <= target.count)
        var source = start
        var done = 0
        while done < count {
            let word = unsafe stored.start.loadUnaligned(fromByteOffset: source, as: UInt64.self)
            let literals = PlainForm.unpacked(UInt64(littleEndian: word)).littleEndian
            unsafe target.start.storeBytes(of: literals, toByteOffset: offset &+ done, as: UInt64.self)
            source &+= PlainForm.groupLength &- 1
            done &+= PlainForm.groupLength
        }
    }

    /// Repeats the bytes `distance` before `offset`, fewer than a piece: one by one, until what has been written
    /// repeats itself at a distance of a piece or more.
    @inline(never)
    private static func repeatBytes(
        _ length: Int, _ distance: Int, to target: MutableBytes, at offset: Int
    ) throws(ParseFailure) {
        guard distance > 0 else { throw ParseFailure("a value refers to nothing") }
        let period = distance &* ((pieceBytes &+ distance &- 1) / distance)
        let single = min(length, period &- distance)
        for index in offset..<(offset &+ single) { target.store(target[index &- distance], at: index) }
        guard single < length else { return }
        copy(target.bytes, offset &+ single &- period, to: target, at: offset &+ single, length &- single)
    }
}

/// The numbers of a step. Reads at most five bytes, whether or not they belong to the value.
private struct PlainStep {
    let literals: Int
    let isPacked: Bool
    let length: Int
    let distance: Int
    /// The offset of the literals.
    let head: Int

    var literalBytes: Int {
        @inline(__always) get { isPacked ? PlainForm.packedCount(literals) : literals }
    }

    @inline(__always)
    init(_ stored: Bytes, at offset: Int) {
        let word = PlainStep.load(stored, offset, UInt32.self)
        let token = Int(truncatingIfNeeded: word & 0xff)
        var next = offset &+ 1
        var count = token &>> PlainForm.halfBits
        var packs = false
        if count == PlainForm.continued {
            let byte = UInt8(truncatingIfNeeded: word &>> 8)
            count &+= Int(byte & ~PlainForm.isPacked)
            packs = byte & PlainForm.isPacked != 0
            next &+= 1
        }
        literals = count
        isPacked = packs
        let half = token & PlainForm.continued
        guard half > 0 else {
            length = 0
            distance = 0
            head = next
            return
        }
        if half == PlainForm.continued {
            length = PlainForm.longLengthBase &+ Int(PlainStep.load(stored, next, UInt8.self))
            next &+= 1
        } else {
            length = PlainForm.lengthBase &+ half
        }
        distance = Int(PlainStep.load(stored, next, UInt16.self))
        head = next &+ 2
    }

    /// Loads an integer from the value or from the bytes that are readable after it.
    @inline(__always)
    private static func load<T: FixedWidthInteger & BitwiseCopyable>(
        _ stored: Bytes, _ offset: Int, _ type: T.Type
    ) -> T {
        assert(offset &+ MemoryLayout<T>.size <= stored.count &+ ValueCode.slackBytes)
        return T(littleEndian: unsafe stored.start.loadUnaligned(fromByteOffset: offset, as: T.self))
    }
}
