/// Alternates between the sides of a comparison: a number of operations of one side, as many of the next, with another
/// side first each time. Temporary slowness then affects all sides.
struct Turns {
    struct Side {
        /// The name in result files.
        let peer: String
        /// Performs the operations of a range of positions.
        let run: (Range<Int>) throws -> Void
        /// Work before the next side's turn that is not measured.
        var rest: () throws -> Void = {}
    }

    /// The number of operations per turn.
    var length = 256

    /// Returns the seconds that each side takes for all positions below `count`, extrapolated from its median turn. A
    /// flush during one turn therefore has no effect.
    func measure(_ sides: [Side], count: Int) throws -> [Double] {
        var turns = [[Double]](repeating: [], count: sides.count)
        for (turn, start) in stride(from: 0, to: count, by: length).enumerated() {
            let range = start..<min(count, start + length)
            for place in sides.indices {
                let side = (place + turn) % sides.count
                let began = Clock.now
                try sides[side].run(range)
                turns[side].append(Clock.seconds(since: began) / Double(range.count))
                try sides[side].rest()
            }
        }
        return turns.map { $0.median * Double(count) }
    }
}
