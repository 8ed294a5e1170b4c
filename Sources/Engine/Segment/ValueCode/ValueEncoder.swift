package import ShaleBase

/// Encodes values with a ``ValueCode``. Reuses its memory; not thread-safe.
package struct ValueEncoder: ~Copyable {
    private let code: ValueCode
    private var matcher: ValueMatcher

    package init(_ code: ValueCode) {
        self.code = code
        matcher = ValueMatcher(code.dictionary, code.isPlain ? .plain : .prefixCodes)
    }

    /// Appends the stored form of `value`, which has at most 65 535 bytes.
    ///
    /// The stored form of a value that resembles no sample is up to 2.4 times as long as the value: the caller then
    /// stores the value itself.
    ///
    /// - Complexity: O(`value.count`), about 10 ns per byte.
    package mutating func append(_ value: Bytes, to output: inout ByteBuffer) {
        let start = output.count
        if code.isPlain {
            var sink = PlainOutput(value, output.extend(PlainOutput.bytesNeeded(value.count)))
            matcher.parse(value, &sink)
            output.count = start + sink.finish()
            return
        }
        var sink = BitOutput(code, output.extend(BitOutput.bytesNeeded(value.count)))
        matcher.parse(value, &sink)
        output.count = start + sink.byteCount
    }
}

/// Writes the codes of a value's parts.
private struct BitOutput: ValueSink {
    /// ``ValueCode/codes``, which the encoder keeps alive.
    private let codes: Bytes
    private let pairs: [ValuePair]
    private let target: MutableBytes
    private var offset = 0
    private var bits: UInt64 = 0
    private var held: UInt64 = 0

    init(_ code: ValueCode, _ target: MutableBytes) {
        codes = code.codes.bytes
        pairs = code.pairs
        self.target = target
    }

    /// Returns the room for the codes of a value: 19 bits for each byte at most, and whole words.
    static func bytesNeeded(_ count: Int) -> Int {
        (count * (ValueCodeFormat.itemBitsMax + ValueCodeFormat.escapeBits) + 7) / 8 + 8
    }

    /// The number of bytes written, with the last bits.
    var byteCount: Int { offset + (held > 0 ? 1 : 0) }

    @inline(__always)
    mutating func literal(_ byte: UInt8) {
        let code = codes.u32(at: 4 &* Int(byte))
        if code != 0 { return put(code, extra: 0, extraBits: 0) }
        put(ValueCodeFormat.escape, extra: Int(byte), extraBits: ValueCodeFormat.escapeBits)
    }

    mutating func match(length: Int, distance: Int) {
        if let pair = pairs.firstIndex(of: ValuePair(length: length, distance: distance)) {
            let first = ValueCodeFormat.itemCount + ValueCodeFormat.distanceCount
            return put(first + pair, extra: 0, extraBits: 0)
        }
        let lengthSymbol = ValueCodeFormat.lengthSymbol(length)
        let (lengthBase, lengthBits) = ValueCodeFormat.length(lengthSymbol)
        put(ValueCodeFormat.firstLength + lengthSymbol, extra: length - lengthBase, extraBits: lengthBits)
        let distanceSymbol = ValueCodeFormat.distanceSymbol(distance)
        let (distanceBase, distanceBits) = ValueCodeFormat.distance(distanceSymbol)
        put(ValueCodeFormat.itemCount + distanceSymbol, extra: distance - distanceBase, extraBits: distanceBits)
    }

    @inline(__always)
    private mutating func put(_ index: Int, extra: Int, extraBits: Int) {
        put(codes.u32(at: 4 &* index), extra: extra, extraBits: extraBits)
    }

    /// Appends a code and the bits after it: at most 26 bits, besides 7 that are held.
    @inline(__always)
    private mutating func put(_ code: UInt32, extra: Int, extraBits: Int) {
        let codeBits = UInt64(code &>> 16)
        assert(codeBits > 0)
        bits |= (UInt64(code & 0xffff) | UInt64(truncatingIfNeeded: extra) &<< codeBits) &<< held
        held &+= codeBits &+ UInt64(extraBits)
        target.store(bits, at: offset)
        offset &+= Int(held &>> 3)
        bits &>>= held & ~7
        held &= 7
    }
}
