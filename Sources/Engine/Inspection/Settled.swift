/// Repeats `look` while it finds different damage each time.
///
/// The process that has the store open may replace files between two reads of one call, which then looks like missing
/// files or damage. Real damage is the same the next time. A result without damage ends the repetition, and so does the
/// last of `attemptsMax`.
func settled<Result, Failure: Error>(
    _ findings: (Result) -> [Finding], _ look: () throws(Failure) -> Result
) throws(Failure) -> Result {
    let attemptsMax = 20
    var last: [Finding]?
    for _ in 1..<attemptsMax {
        let result = try look()
        let damage = findings(result).filter(\.isDamage)
        if damage.isEmpty || damage == last { return result }
        last = damage
    }
    return try look()
}
