/// Makes a failing history smaller.
package enum HistoryShrinking {
    /// Returns a part of `history` that still fails: first without large pieces, then without single steps.
    ///
    /// - Parameters:
    ///   - attempts: The largest number of runs.
    ///   - fails: Runs a history and returns true if it fails.
    package static func smallest<Step>(
        _ history: [Step], attempts: Int, fails: ([Step]) -> Bool
    ) -> [Step] {
        var best = history
        var left = attempts
        var size = max(1, best.count / 2)
        while left > 0 {
            var start = 0
            var isSmaller = false
            while start < best.count, left > 0 {
                var fewer = best
                fewer.removeSubrange(start..<min(start + size, fewer.count))
                left -= 1
                if fails(fewer) {
                    best = fewer
                    isSmaller = true
                } else {
                    start += size
                }
            }
            if size > 1 {
                size = max(1, size / 2)
            } else if !isSmaller {
                break
            }
        }
        return best
    }
}
