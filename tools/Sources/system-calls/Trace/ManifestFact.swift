/// The references in a manifest's edit: DESIGN.md, "Manifest", parsed independently of the engine.
enum ManifestFact: Equatable {
    case logFloor(UInt64)
    case newestLog(UInt64)
    case segmentAdded(UInt64)
    case segmentRemoved(UInt64)

    private static let chunkHeader = 20
    private static let blockBytes = 32 << 10
    private static let whole: UInt8 = 1

    /// Returns the facts in bytes that were written to a manifest at `offset`. Ignores records of more than one chunk:
    /// a store of this size has none.
    static func decode(_ bytes: [UInt8], at offset: Int) -> [ManifestFact] {
        var facts: [ManifestFact] = []
        var index = offset == 0 ? 64 : 0
        while index + chunkHeader <= bytes.count {
            let room = blockBytes - (offset + index) % blockBytes
            guard room >= chunkHeader else {
                index += room
                continue
            }
            let length = Int(word(bytes, index + 8, 2))
            let end = index + chunkHeader + length
            guard end <= bytes.count else { break }
            if bytes[index + 10] == whole { facts += edit(Array(bytes[(index + chunkHeader)..<end])) }
            index = end
        }
        return facts
    }

    private static func edit(_ bytes: [UInt8]) -> [ManifestFact] {
        var facts: [ManifestFact] = []
        var index = 0
        while index + 6 <= bytes.count {
            let payload = index + 6
            switch word(bytes, index, 2) {
            case 4: facts.append(.logFloor(word(bytes, payload, 8)))
            case 5: facts.append(.newestLog(word(bytes, payload, 8)))
            case 12, 16: facts.append(.segmentAdded(word(bytes, payload + 1, 8)))
            case 13: facts.append(.segmentRemoved(word(bytes, payload, 8)))
            default: break
            }
            index = payload + Int(word(bytes, index + 2, 4))
        }
        return facts
    }

    static func word(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> UInt64 {
        guard offset + size <= bytes.count else { return 0 }
        return bytes[offset..<(offset + size)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
