/// A disagreement between the engine and the oracle.
struct ModelFailure: Error, CustomStringConvertible {
    let description: String
}
