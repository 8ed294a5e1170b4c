/// The order in which keys are written.
enum FillOrder: Sendable {
    case ascending
    case shuffled(Permutation)

    @inline(__always)
    subscript(position: Int) -> Int {
        switch self {
        case .ascending: position
        case .shuffled(let permutation): permutation[position]
        }
    }
}
