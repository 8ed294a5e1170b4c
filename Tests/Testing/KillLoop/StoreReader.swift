import ShaleBase
import ShaleEngine

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
