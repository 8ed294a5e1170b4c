import ShaleBase
import ShalePlatform

/// The dictionaries of an open segment. Each is read, verified and digested when the first block needs it, and kept as
/// long as the segment. Thread-safe.
final class SegmentDictionaries: @unchecked Sendable {
    private struct Place {
        let record: DictionaryRecord
        let blocks: Range<Int>
    }

    private let places: [Place]
    private let lock = Lock()
    private var digested: [DigestedDictionary?]
    private var chargedBytes = 0
    private let budget: MemoryBudget

    /// Throws if a record's namespace has no slice.
    init(_ records: [DictionaryRecord], _ slices: [SliceRecord], _ budget: MemoryBudget) throws(ParseFailure) {
        self.budget = budget
        var places: [Place] = []
        for record in records {
            guard let slice = slices.first(where: { $0.namespace == record.namespace }) else {
                throw ParseFailure("a dictionary belongs to no slice")
            }
            let first = Int(slice.firstBlock)
            places.append(Place(record: record, blocks: first..<(first + Int(slice.blockCount))))
        }
        self.places = places
        digested = Array(repeating: nil, count: places.count)
    }

    deinit { budget.release(chargedBytes, for: .tables) }

    /// Returns the dictionary record of a block's slice. O(dictionaries).
    func record(forBlock block: Int) -> DictionaryRecord? { places.first { $0.blocks.contains(block) }?.record }

    func record(of namespace: NamespaceID) -> DictionaryRecord? {
        places.first { $0.record.namespace == namespace }?.record
    }

    /// Returns the dictionary of a block's slice. All callers get the same object.
    func digested(
        forBlock block: Int, read: (DictionaryRecord) throws(StorageError) -> DigestedDictionary
    ) throws(StorageError) -> DigestedDictionary? {
        guard let index = places.firstIndex(where: { $0.blocks.contains(block) }) else { return nil }
        return try lock.withLock { () throws(StorageError) in
            if let known = digested[index] { return known }
            let fresh = try read(places[index].record)
            digested[index] = fresh
            chargedBytes += fresh.memoryBytes
            budget.charge(fresh.memoryBytes, for: .tables)
            return fresh
        }
    }
}
