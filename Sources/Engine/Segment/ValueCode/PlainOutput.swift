import ShaleBase

/// Writes the steps of a value in the plain form.
struct PlainOutput: ValueSink {
    private let value: Bytes
    private let target: MutableBytes
    private var written = 0
    /// The end of the parts so far, and the number of literals among them that are not yet written.
    private var position = 0
    private var literals = 0

    /// Begins a value. `target` has ``bytesNeeded(_:)``.
    init(_ value: Bytes, _ target: MutableBytes) {
        self.value = value
        self.target = target
    }

    /// Returns the room for the steps of a value. A step with a match is shorter than what it stands for, and one
    /// without has two more bytes; what is left is for the last step and for whole words.
    static func bytesNeeded(_ count: Int) -> Int { count + count / 64 + 16 }

    @inline(__always)
    mutating func literal(_: UInt8) {
        position &+= 1
        literals &+= 1
    }

    mutating func match(length: Int, distance: Int) {
        putSteps(length: length, distance: distance)
        position &+= length
    }

    /// Writes the last literals, and returns the number of bytes written.
    mutating func finish() -> Int {
        if literals > 0 { putSteps(length: 0, distance: 0) }
        return written
    }

    /// Writes the literals that are left, and the match after them.
    private mutating func putSteps(length: Int, distance: Int) {
        var first = position &- literals
        while literals > PlainForm.runMax {
            putStep(value.slice(first, PlainForm.runCut), length: 0, distance: 0)
            first &+= PlainForm.runCut
            literals &-= PlainForm.runCut
        }
        putStep(value.slice(first, literals), length: length, distance: distance)
        literals = 0
    }

    private mutating func putStep(_ run: Bytes, length: Int, distance: Int) {
        let longRun = run.count >= PlainForm.continued
        let longMatch = length >= PlainForm.longLengthBase
        let runHalf = longRun ? PlainForm.continued : run.count
        let matchHalf = length == 0 ? 0 : longMatch ? PlainForm.continued : length &- PlainForm.lengthBase
        put(UInt8(runHalf &<< PlainForm.halfBits | matchHalf))
        let packs = longRun && PlainOutput.isPackable(run)
        if longRun { put(UInt8(run.count &- PlainForm.runBase) | (packs ? PlainForm.isPacked : 0)) }
        if longMatch { put(UInt8(length &- PlainForm.longLengthBase)) }
        if length > 0 {
            put(UInt8(truncatingIfNeeded: distance))
            put(UInt8(truncatingIfNeeded: distance &>> 8))
        }
        if packs { return putPacked(run) }
        target.copy(run, at: written)
        written &+= run.count
    }

    @inline(__always)
    private mutating func put(_ byte: UInt8) {
        target.store(byte, at: written)
        written &+= 1
    }

    private static func isPackable(_ run: Bytes) -> Bool {
        var union: UInt8 = 0
        for index in 0..<run.count { union |= run[index] }
        return union < 0x80
    }

    private mutating func putPacked(_ run: Bytes) {
        let whole = run.count & ~(PlainForm.groupLength &- 1)
        var offset = 0
        while offset < whole {
            target.store(PlainForm.packed(run.u64(at: offset)), at: written)
            written &+= PlainForm.groupLength &- 1
            offset &+= PlainForm.groupLength
        }
        target.copy(run.suffix(from: whole), at: written)
        written &+= run.count &- whole
    }
}
