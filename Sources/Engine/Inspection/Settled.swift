/// Looks again as long as looks find different damage.
///
/// The process that has the store open may replace files between two reads of one look, and what is found then looks missing or
/// damaged. Real damage is the same the next time. A look without damage ends it, and so does the last of `attemptsMax`.
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
