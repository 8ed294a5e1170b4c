import ShaleBase
import ShalePlatform

/// Makes sorted entries of many shapes from a seed.
struct EntryMaker {
    var count = 1000
    var namespaces: [UInt32] = [7]
    var keyLengths = 1...24
    var valueLengths = 0...120
    /// The probability that a key gets another version.
    var versionChance = 0.3
    var deleteChance = 0.1
    var expiryChance = 0.2
    var purgeableChance = 0.2
    var alphabet: UInt8 = 255
    var sequenceMax = 1 << 20

    static let fixed = EntryMaker(
        keyLengths: 16...16, valueLengths: 100...100, versionChance: 0, deleteChance: 0, expiryChance: 0,
        purgeableChance: 0)

    func make(_ random: SeededRandom) -> [TestEntry] {
        var entries: [TestEntry] = []
        var sequences = Set<SequenceNumber>()
        var key: [UInt8] = []
        while entries.count < count {
            if entries.isEmpty || !random.chance(versionChance) {
                let namespace = namespaces[random.below(namespaces.count)]
                let length = keyLengths.lowerBound + random.below(keyLengths.count)
                let suffix = (0..<length).map { _ in UInt8(random.below(Int(alphabet))) }
                key = EncodedKey.start(of: NamespaceID(rawValue: namespace)) + suffix
            }
            let sequence = SequenceNumber(1 + random.below(sequenceMax))
            guard sequences.insert(sequence).inserted else { continue }
            entries.append(entry(key, sequence, random))
        }
        return entries.sorted(by: TestEntry.isBefore)
    }

    private func entry(_ key: [UInt8], _ sequence: SequenceNumber, _ random: SeededRandom) -> TestEntry {
        if random.chance(deleteChance) {
            return TestEntry(key: key, sequence: sequence, kind: .delete, value: [])
        }
        let expires = random.chance(expiryChance)
        let kind = EntryKind.put(purgeable: random.chance(purgeableChance), hasExpiry: expires)
        let length = valueLengths.lowerBound + random.below(valueLengths.count)
        return TestEntry(
            key: key, sequence: sequence, kind: kind, expiry: expires ? Int64(random.below(1 << 40)) : 0,
            value: random.bytes(length).map { $0 & 0x0f })
    }
}
