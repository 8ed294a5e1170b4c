/// The engine and the oracle disagree.
struct ModelFailure: Error, CustomStringConvertible {
    let description: String
}
