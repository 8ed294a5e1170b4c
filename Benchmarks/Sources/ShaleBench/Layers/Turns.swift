/// Sides of one job that take turns: some operations of one, as many of the next, and another one first each time. What
/// is slow for a while is slow for all of them.
struct Turns {
    struct Side {
        /// As in result files.
        let peer: String
        /// Does the operations of a range of positions.
        let run: (Range<Int>) throws -> Void
        /// What has to happen before the next side's turn, and is not measured.
        var rest: () throws -> Void = {}
    }

    /// Operations of a turn.
    var length = 256

    /// Seconds that each side takes for all positions below `count`, by its median turn: a flush that falls into a turn
    /// is nobody's doing.
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
