import Testing

@testable import ShaleCluster

/// Entries in one buffer.
@Suite
struct ObjectEntriesTests {
    private let entries = [
        ObjectEntry(name: [1, 2], value: [3]), ObjectEntry(name: [], value: [4, 5, 6]),
        ObjectEntry(name: [7], value: []), ObjectEntry(name: [8], value: [9]),
    ]

    @Test
    func entriesComeBackAsTheyWereAdded() {
        var stored = ObjectEntries()
        #expect(stored.isEmpty && stored.first == nil)
        for (count, entry) in entries.enumerated() {
            stored.append(entry)
            #expect(Array(stored) == Array(entries[...count]))
        }
        #expect(Array(ObjectEntries(entries)) == entries)
    }

    @Test
    func namesAndValuesAreReadInPlace() {
        let stored = ObjectEntries(entries)
        for (index, entry) in entries.enumerated() {
            #expect([UInt8](copying: stored.name(at: index)) == entry.name)
            #expect([UInt8](copying: stored.value(at: index)) == entry.value)
        }
    }
}
