/// The namespaces of a writer: three of its own, which only it drops, truncates and purges, and one that all writers
/// share with distinct keys.
enum WriterSpaces {
    static let own = 0..<3
    static let shared = 3
    static let count = 4

    static func name(_ space: Int, writer: Int) -> [UInt8] {
        Array((space == shared ? "shared" : "writer \(writer), \(space)").utf8)
    }

    /// Returns the prefix of all keys of the writer.
    static func prefix(writer: Int) -> [UInt8] { [UInt8(writer), 0x2f] }
}

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
