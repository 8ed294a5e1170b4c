import CZstd
import ShaleBase
import ShalePlatform

/// The dictionaries of an open segment. Each is read, verified and digested when the first block needs it, and kept as
/// long as the segment. Thread-safe.
final class SegmentDictionaries: @unchecked Sendable {
    private struct DictionaryRange {
        let record: DictionaryRecord
        let blocks: Range<Int>
    }

    private let ranges: [DictionaryRange]
    private let lock = Lock()
    private var digested: [DigestedDictionary?]
    private var chargedBytes = 0
    private let budget: MemoryBudget

    /// Throws if a record's namespace has no slice.
    init(_ records: [DictionaryRecord], _ slices: [SliceRecord], _ budget: MemoryBudget) throws(ParseFailure) {
        self.budget = budget
        var ranges: [DictionaryRange] = []
        for record in records {
            guard let slice = slices.first(where: { $0.namespace == record.namespace }) else {
                throw ParseFailure("a dictionary belongs to no slice")
            }
            let first = Int(slice.firstBlock)
            ranges.append(DictionaryRange(record: record, blocks: first..<(first + Int(slice.blockCount))))
        }
        self.ranges = ranges
        digested = Array(repeating: nil, count: ranges.count)
    }

    deinit { budget.release(chargedBytes, for: .tables) }

    /// Returns the dictionary record of a block's slice. O(dictionaries).
    func record(forBlock block: Int) -> DictionaryRecord? { ranges.first { $0.blocks.contains(block) }?.record }

    func record(of namespace: NamespaceID) -> DictionaryRecord? {
        ranges.first { $0.record.namespace == namespace }?.record
    }

    /// Returns the dictionary of a block's slice. All callers get the same object.
    func digested(
        forBlock block: Int, read: (DictionaryRecord) throws(StorageError) -> DigestedDictionary
    ) throws(StorageError) -> DigestedDictionary? {
        guard let index = ranges.firstIndex(where: { $0.blocks.contains(block) }) else { return nil }
        return try lock.withLock { () throws(StorageError) in
            if let known = digested[index] { return known }
            let fresh = try read(ranges[index].record)
            digested[index] = fresh
            chargedBytes += fresh.memoryBytes
            budget.charge(fresh.memoryBytes, for: .tables)
            return fresh
        }
    }
}

/// A segment's properties about one slice's dictionary. On disk, do not change: DESIGN.md, "Dictionaries".
struct DictionaryRecord: Equatable {
    let namespace: NamespaceID
    /// In thousandths: see ``BlockDictionary/savedShare``.
    let savedShare: UInt32
    let handle: BlockHandle

    static let encodedBytes = 24

    static func encode(_ records: [DictionaryRecord], into buffer: inout ByteBuffer) {
        for record in records {
            buffer.append(record.namespace.rawValue)
            buffer.append(record.savedShare)
            record.handle.encode(to: &buffer)
        }
    }

    static func decode(_ raw: Bytes) throws(ParseFailure) -> [DictionaryRecord] {
        var records: [DictionaryRecord] = []
        var reader = ByteReader(raw)
        while !reader.isAtEnd {
            let record = DictionaryRecord(
                namespace: NamespaceID(rawValue: try reader.u32("a dictionary's record")),
                savedShare: try reader.u32("a dictionary's record"), handle: try BlockHandle.decode(&reader))
            let limit = UInt32(SegmentFormat.dictionaryBytesMax)
            guard record.savedShare <= 1000, max(record.handle.rawLength, record.handle.storedLength) <= limit else {
                throw ParseFailure("a dictionary's record is out of bounds")
            }
            if let last = records.last {
                guard last.namespace < record.namespace, last.handle.end == record.handle.offset else {
                    throw ParseFailure("the dictionaries are out of order")
                }
            }
            records.append(record)
        }
        guard !records.isEmpty else { throw ParseFailure("the list of dictionaries is empty") }
        return records
    }
}

/// A dictionary in zstd's form for decompression: made once, used by any number of threads.
@safe
final class DigestedDictionary: @unchecked Sendable {
    /// The identifier of the ``BlockDictionary`` with the same content.
    let identifier: UInt64
    let context: OpaquePointer

    /// Copies `raw`. Throws if `raw` is not a whole dictionary, because zstd would accept any bytes as raw content.
    init(_ raw: Bytes) throws(ParseFailure) {
        guard unsafe ZDICT_getDictID(raw.start, raw.count) != 0,
            let context = unsafe ZSTD_createDDict(raw.start, raw.count)
        else { throw ParseFailure("a dictionary is not one of zstd's") }
        unsafe self.context = context
        identifier = XXH3.hash(raw)
    }

    deinit { unsafe ZSTD_freeDDict(context) }

    var memoryBytes: Int { unsafe ZSTD_sizeof_DDict(context) }
}
