import ShalePlatform

/// The source of the values of a model run: ranges of one array, so that the oracle keeps two numbers per value.
struct ValuePool {
    static let largest = 20_000

    let bytes: [UInt8]

    /// A range in the pool.
    struct Place: Equatable {
        var start: Int32 = 0
        var count: Int32 = 0

        var range: Range<Int> { Int(start)..<(Int(start) + Int(count)) }
    }

    /// Fills the pool; every other kilobyte is compressible.
    init(_ random: SeededRandom) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64 << 10)
        while bytes.count < 64 << 10 {
            if bytes.count & 1024 == 0 {
                bytes += random.bytes(8)
            } else {
                bytes += [UInt8](repeating: UInt8(truncatingIfNeeded: random.next()), count: 8)
            }
        }
        self.bytes = bytes
    }

    func isEqual(_ value: RawSpan, _ place: Place) -> Bool {
        let bytes = bytes
        return unsafe ByteComparison.areEqual(value, bytes.span.bytes.extracting(place.range))
    }

    /// Draws a range: mostly short values, some empty, a few longer than a block.
    func place(_ random: SeededRandom) -> Place {
        let limit =
            switch random.below(100) {
            case 0..<3: 1
            case 3..<70: 100
            case 70..<97: 900
            default: ValuePool.largest + 1
            }
        let count = random.below(limit)
        return Place(start: Int32(random.below(bytes.count - count)), count: Int32(count))
    }
}
