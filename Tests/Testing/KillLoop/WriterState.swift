import ShaleBase
import ShaleEngine

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

/// Compares the content of an open store with the expected one.
struct StoreReader {
    let engine: Engine

    /// Returns true if the store shows `state` of `writer`, and nothing else of that writer.
    func shows(_ state: WriterState, of writer: Int, otherWays: Bool) throws -> Bool {
        for space in 0..<WriterSpaces.count {
            let found = engine.namespace(named: WriterSpaces.name(space, writer: writer))
            guard let entries = state.spaces[space] else {
                if found != nil { return false }
                continue
            }
            guard let found else {
                // The first child that writes to the shared namespace creates it.
                if space == WriterSpaces.shared, entries.isEmpty { continue }
                return false
            }
            guard found.options == state.options[space],
                try shows(entries, in: found.id, writer: writer, otherWays: otherWays)
            else { return false }
        }
        return true
    }

    private func shows(
        _ entries: [[UInt8]: WriterState.Entry], in namespace: NamespaceID, writer: Int, otherWays: Bool
    ) throws -> Bool {
        let range = KeyRange.prefix(WriterSpaces.prefix(writer: writer))
        let forward = try engine.entries(over: range, in: namespace)
        guard forward.count == entries.count else { return false }
        for (key, value) in forward where entries[key]?.value.bytes != value { return false }
        guard otherWays else { return true }
        let backward = try engine.entries(over: range, in: namespace, order: .reversed)
        guard backward.map(\.key) == forward.reversed().map(\.key) else {
            throw KillLoopError("a backward scan differs")
        }
        let values = try engine.values(forKeys: forward.map(\.key), in: namespace)
        guard values == forward.map(\.value) else { throw KillLoopError("lookups and scans differ") }
        return true
    }
}
