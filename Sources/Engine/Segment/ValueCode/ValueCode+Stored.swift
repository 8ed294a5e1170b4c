package import ShaleBase

/// The stored form of a code. On disk, do not change: ShaleEngine.docc, "Value codes".
extension ValueCode {
    /// Appends the stored form: dictionary length u32; unless the code is plain, pairs if there are some, and code
    /// lengths as half bytes, the lower one first; then the dictionary.
    package func encode(to output: inout ByteBuffer) {
        if isPlain { return ValueCode.encode(plain: dictionary, to: &output) }
        ValueCode.encode(dictionary, items, distances, pairs, to: &output)
    }

    static func encode(plain dictionary: Bytes, to output: inout ByteBuffer) {
        output.append(UInt32(dictionary.count) | ValueCodeFormat.isPlain)
        output.append(dictionary)
    }

    static func encode(
        _ dictionary: Bytes, _ items: PrefixCode, _ distances: PrefixCode, _ pairs: [ValuePair],
        to output: inout ByteBuffer
    ) {
        output.append(UInt32(dictionary.count) | (pairs.isEmpty ? 0 : ValueCodeFormat.hasPairs))
        if !pairs.isEmpty { output.append(UInt8(pairs.count)) }
        for pair in pairs {
            output.append(UInt16(pair.length))
            output.append(UInt32(pair.distance))
        }
        append(items.lengths, to: &output)
        append(distances.lengths, to: &output)
        output.append(dictionary)
    }

    private static func append(_ lengths: [UInt8], to output: inout ByteBuffer) {
        for first in stride(from: 0, to: lengths.count, by: 2) {
            let second = first + 1 < lengths.count ? lengths[first + 1] : 0
            output.append(lengths[first] | second << 4)
        }
    }

    /// Parses a stored form, which takes all of `stored`.
    package convenience init(parsing stored: Bytes) throws(ParseFailure) {
        var reader = ByteReader(stored)
        let word = try reader.u32("a value code")
        let isPlain = word & ValueCodeFormat.isPlain != 0
        let dictionaryBytes = Int(word & ~(isPlain ? ValueCodeFormat.isPlain : ValueCodeFormat.hasPairs))
        guard dictionaryBytes <= ValueCodeFormat.dictionaryBytesMax else {
            throw ParseFailure("a value code's dictionary is too long")
        }
        if isPlain {
            let dictionary = try reader.slice(dictionaryBytes, "a value code")
            guard reader.isAtEnd else { throw ParseFailure("a value code is too long") }
            self.init(plain: dictionary)
            return
        }
        let pairs = word & ValueCodeFormat.hasPairs == 0 ? [] : try ValueCode.pairs(&reader)
        let items = try PrefixCode(
            lengths: ValueCode.lengths(&reader, ValueCodeFormat.itemCount + pairs.count),
            limit: ValueCodeFormat.itemBitsMax)
        let distances = try PrefixCode(
            lengths: ValueCode.lengths(&reader, ValueCodeFormat.distanceCount), limit: ValueCodeFormat.distanceBitsMax)
        // An encoder needs the escape, every length and distance, and every pair.
        guard items.lengths[ValueCodeFormat.firstLength...].allSatisfy({ $0 > 0 }),
            distances.lengths.allSatisfy({ $0 > 0 })
        else { throw ParseFailure("a value code lacks a code") }
        let dictionary = try reader.slice(dictionaryBytes, "a value code")
        guard reader.isAtEnd else { throw ParseFailure("a value code is too long") }
        self.init(dictionary: dictionary, items: items, distances: distances, pairs: pairs)
    }

    private static func pairs(_ reader: inout ByteReader) throws(ParseFailure) -> [ValuePair] {
        let count = Int(try reader.u8("a value code"))
        guard count >= 1, count <= ValueCodeFormat.pairsMax else {
            throw ParseFailure("a value code's number of pairs is invalid")
        }
        var pairs: [ValuePair] = []
        for _ in 0..<count {
            let pair = ValuePair(
                length: Int(try reader.u16("a value code")), distance: Int(try reader.u32("a value code")))
            guard pair.isValid, !pairs.contains(pair) else { throw ParseFailure("a value code's pair is invalid") }
            pairs.append(pair)
        }
        return pairs
    }

    private static func lengths(_ reader: inout ByteReader, _ count: Int) throws(ParseFailure) -> [UInt8] {
        var lengths: [UInt8] = []
        while lengths.count < count {
            let pair = try reader.u8("a value code")
            lengths.append(pair & 15)
            if lengths.count < count {
                lengths.append(pair >> 4)
            } else if pair >> 4 != 0 {
                throw ParseFailure("a value code has a code length too many")
            }
        }
        return lengths
    }
}
