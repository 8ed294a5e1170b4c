import ShaleBase
import ShalePlatform

/// The dictionary or the value code that the blocks of one slice share.
protocol SliceCoder: AnyObject, Sendable {
    var memoryBytes: Int { get }
}

extension DigestedDictionary: SliceCoder {}
extension ValueCode: SliceCoder {}

/// The dictionary or the value code of one block; neither if its codec needs none.
struct BlockCoders {
    var dictionary: DigestedDictionary?
    var code: ValueCode?

    /// The identifier of the one that the block needs.
    var identifier: UInt64? { dictionary?.identifier ?? code?.identifier }
}

/// The dictionaries and value codes of an open segment. Thread-safe.
struct SegmentCoders: Sendable {
    let dictionaries: SliceCoders<DigestedDictionary>
    let codes: SliceCoders<ValueCode>

    /// Throws if a record's namespace has no slice.
    init(
        dictionaries: [SliceCoderRecord], codes: [SliceCoderRecord], _ slices: [SliceRecord], _ budget: MemoryBudget
    ) throws(ParseFailure) {
        self.dictionaries = try SliceCoders(dictionaries, slices, budget)
        self.codes = try SliceCoders(codes, slices, budget)
    }

    /// Returns true if a block with this codec can be decoded.
    func suffice(forBlock block: Int, _ codec: StoredCodec) -> Bool {
        switch codec {
        case .none, .lz4, .zstd: true
        case .zstdDictionary: dictionaries.record(forBlock: block) != nil
        case .valueCode: codes.record(forBlock: block) != nil
        }
    }
}

/// The dictionaries, or the value codes, of an open segment. Each is read, verified and digested when the first block
/// needs it, and kept as long as the segment. Thread-safe.
final class SliceCoders<Coder: SliceCoder>: @unchecked Sendable {
    private struct Slice {
        let record: SliceCoderRecord
        let blocks: Range<Int>
    }

    private let slices: [Slice]
    private let lock = Lock()
    private var loaded: [Coder?]
    private var chargedBytes = 0
    private let budget: MemoryBudget

    /// Throws if a record's namespace has no slice.
    init(_ records: [SliceCoderRecord], _ slices: [SliceRecord], _ budget: MemoryBudget) throws(ParseFailure) {
        self.budget = budget
        var found: [Slice] = []
        for record in records {
            guard let slice = slices.first(where: { $0.namespace == record.namespace }) else {
                throw ParseFailure("a dictionary belongs to no slice")
            }
            let first = Int(slice.firstBlock)
            found.append(Slice(record: record, blocks: first..<(first + Int(slice.blockCount))))
        }
        self.slices = found
        loaded = Array(repeating: nil, count: found.count)
    }

    deinit { budget.release(chargedBytes, for: .tables) }

    /// Returns the record of a block's slice. O(records).
    func record(forBlock block: Int) -> SliceCoderRecord? { slices.first { $0.blocks.contains(block) }?.record }

    func record(of namespace: NamespaceID) -> SliceCoderRecord? {
        slices.first { $0.record.namespace == namespace }?.record
    }

    /// Returns the coder of a block's slice. All callers get the same object.
    func coder(
        forBlock block: Int, read: (SliceCoderRecord) throws(StorageError) -> Coder
    ) throws(StorageError) -> Coder? {
        guard let index = slices.firstIndex(where: { $0.blocks.contains(block) }) else { return nil }
        return try lock.withLock { () throws(StorageError) in
            if let known = loaded[index] { return known }
            let fresh = try read(slices[index].record)
            loaded[index] = fresh
            chargedBytes += fresh.memoryBytes
            budget.charge(fresh.memoryBytes, for: .tables)
            return fresh
        }
    }
}

/// A segment's properties about one slice's dictionary or value code. On disk, do not change: DESIGN.md,
/// "Dictionaries".
struct SliceCoderRecord: Equatable {
    let namespace: NamespaceID
    /// In thousandths: see ``BlockDictionary/savedShare``.
    let savedShare: UInt32
    let handle: BlockHandle

    static let encodedBytes = 24

    static func encode(_ records: [SliceCoderRecord], into buffer: inout ByteBuffer) {
        for record in records {
            buffer.append(record.namespace.rawValue)
            buffer.append(record.savedShare)
            record.handle.encode(to: &buffer)
        }
    }

    static func decode(_ raw: Bytes) throws(ParseFailure) -> [SliceCoderRecord] {
        var records: [SliceCoderRecord] = []
        var reader = ByteReader(raw)
        while !reader.isAtEnd {
            let record = SliceCoderRecord(
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
