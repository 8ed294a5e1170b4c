/// The expected content of one writer after a number of its actions.
struct WriterState {
    struct Entry: Equatable {
        let value: Value
        let isPurgeable: Bool
    }

    /// The entries by namespace; `nil` if the namespace does not exist.
    private(set) var spaces: [[[UInt8]: Entry]?] =
        Array(repeating: nil, count: WriterSpaces.own.count) + [[:]]
    private(set) var options: [[UInt8]] = Array(repeating: [], count: WriterSpaces.count)

    var existing: [Bool] { WriterSpaces.own.map { spaces[$0] != nil } }

    mutating func apply(_ action: Action) {
        switch action {
        case .create(let space):
            spaces[space] = [:]
            options[space] = []
        case .write(let mutations, _):
            for mutation in mutations {
                spaces[mutation.space]?[mutation.key] = mutation.value.map {
                    Entry(value: $0, isPurgeable: mutation.isPurgeable)
                }
            }
        case .setOptions(let space, let bytes): options[space] = bytes
        case .purge(let space): spaces[space] = spaces[space]?.filter { !$0.value.isPurgeable }
        case .truncate(let space): spaces[space] = [:]
        case .drop(let space):
            spaces[space] = nil
            options[space] = []
        case .sync, .flush, .compact, .reclaim, .checkpoint: break
        }
    }
}
