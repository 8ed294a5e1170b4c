import ShaleBase

/// The entries of a segment as a sorted array, the reference for lookups and cursors.
struct Model {
    let entries: [TestEntry]

    init(_ entries: [TestEntry]) { self.entries = entries }

    func newest(_ key: [UInt8], through limit: SequenceNumber) -> TestEntry? {
        entries.first { $0.key == key && $0.sequence <= limit }
    }

    func forward(from key: [UInt8]) -> [TestEntry] {
        Array(entries.drop { $0.key.lexicographicallyPrecedes(key) })
    }

    func backward(from key: [UInt8]) -> [TestEntry] {
        entries.prefix { $0.key.lexicographicallyPrecedes(key) }.reversed()
    }
}

/// Returns the keys of `entries`, their neighbours, prefixes and extensions, and keys of other namespaces.
func probes(around entries: [TestEntry]) -> [[UInt8]] {
    var keys: [[UInt8]] = [[], [0], [0, 0, 0, 0], [255, 255, 255, 255, 255]]
    for entry in entries {
        keys.append(entry.key)
        keys.append(entry.key + [0])
        keys.append(Array(entry.key.dropLast()))
        var next = entry.key
        next[next.count - 1] &+= 1
        keys.append(next)
        keys.append(Array(entry.key.prefix(4)))
    }
    return keys
}
