import ShaleBase
import ShaleEngine
import Synchronization

/// The times at which keys were last read, for namespaces whose policy needs them: a table of fixed size in sets of
/// four slots. A new key replaces the least recently used key of its set. Thread-safe without a lock: each slot is one
/// word, hash << 32 | seconds since 1970, 0 for none.
///
/// The table is approximate. Of many keys only some are known, and times are in seconds. Two keys may share 32 bits of
/// their hash. Concurrent updates of a slot may lose a use.
@safe
final class UseTable: @unchecked Sendable {
    /// The number of pieces that the table is stored in, so that only changed pieces are written.
    static let pieceCount = 16
    private static let slotCount = 1 << 16
    private static let ways = 4
    private static let slotsPerPiece = slotCount / pieceCount
    static let pieceBytes = slotsPerPiece * 8
    /// The memory of the table in bytes.
    static let bytes = slotCount * 8

    private let slots: UnsafeMutablePointer<Atomic<UInt64>>
    /// One bit for each piece that has changed since `takeChangedPieces()`.
    private let changedPieces = Atomic<UInt64>(0)

    /// Counts the table in the engine's memory budget for as long as the table exists.
    private let memory: ReservedMemory?

    init(_ memory: ReservedMemory? = nil) {
        self.memory = memory
        unsafe slots = .allocate(capacity: UseTable.slotCount)
        for index in 0..<UseTable.slotCount { unsafe (slots + index).initialize(to: Atomic(0)) }
    }

    deinit {
        unsafe slots.deinitialize(count: UseTable.slotCount)
        unsafe slots.deallocate()
    }

    static func hash(_ key: RawSpan, _ namespace: NamespaceID) -> UInt64 {
        let hash = unsafe key.withUnsafeBytes { XXH3.hash(unsafe Bytes($0)) }
        return hash ^ UInt64(namespace.rawValue) &* 0x9E37_79B9_7F4A_7C15
    }

    /// Records a use. O(1).
    func note(_ hash: UInt64, milliseconds: Int64) {
        let word = UseTable.word(hash, milliseconds)
        let first = UseTable.set(hash)
        var victim = first
        var oldest = UInt64.max
        for slot in first..<first + UseTable.ways {
            let known = load(slot)
            if known >> 32 == word >> 32 {
                if known < word { store(word, slot) }
                return
            }
            if known & 0xffff_ffff < oldest {
                oldest = known & 0xffff_ffff
                victim = slot
            }
        }
        store(word, victim)
    }

    /// Returns the last use in milliseconds since 1970, rounded up to the end of the second; `nil` if unknown.
    func lastUse(_ hash: UInt64) -> Int64? {
        let first = UseTable.set(hash)
        for slot in first..<first + UseTable.ways {
            let known = load(slot)
            if known != 0, known >> 32 == hash >> 32 { return Int64(known & 0xffff_ffff) * 1000 + 999 }
        }
        return nil
    }

    // MARK: Keeping

    /// Returns the pieces that have changed since the last call.
    func takeChangedPieces() -> [Int] {
        let bits = changedPieces.exchange(0, ordering: .acquiringAndReleasing)
        return (0..<UseTable.pieceCount).filter { bits >> UInt64($0) & 1 != 0 }
    }

    func markChanged(_ piece: Int) {
        let bit = UInt64(1) << UInt64(piece)
        if changedPieces.load(ordering: .relaxed) & bit == 0 {
            _ = changedPieces.bitwiseOr(bit, ordering: .relaxed)
        }
    }

    func append(_ piece: Int, to buffer: inout ByteBuffer) {
        let first = piece * UseTable.slotsPerPiece
        for slot in first..<first + UseTable.slotsPerPiece { buffer.append(load(slot)) }
    }

    /// Restores stored slots. Slots that hold a newer use stay.
    func restore(_ piece: Int, _ bytes: Bytes) {
        let first = piece * UseTable.slotsPerPiece
        for index in 0..<min(UseTable.slotsPerPiece, bytes.count / 8) where load(first + index) == 0 {
            unsafe slots[first + index].store(bytes.u64(at: index * 8), ordering: .relaxed)
        }
    }

    private static func word(_ hash: UInt64, _ milliseconds: Int64) -> UInt64 {
        (hash >> 32) << 32 | UInt64(UInt32(clamping: max(1, milliseconds / 1000)))
    }

    private static func set(_ hash: UInt64) -> Int { Int(hash & UInt64(slotCount / ways - 1)) * ways }

    private func load(_ slot: Int) -> UInt64 { unsafe slots[slot].load(ordering: .relaxed) }

    private func store(_ word: UInt64, _ slot: Int) {
        unsafe slots[slot].store(word, ordering: .relaxed)
        markChanged(slot / UseTable.slotsPerPiece)
    }
}

/// The record of uses, stored in an internal namespace with one value for each piece of the table: format 1 u8 | slots
/// u64 each.
///
/// It is written when policies are applied and when the store is closed, never by a read. A crash loses the uses
/// recorded since.
extension StoreCore {
    private static let usesName = NamespaceName.internalName("uses")
    private static let usesFormat: UInt8 = 1

    func noteUse(_ key: RawSpan, _ id: NamespaceID) {
        uses.load()?.note(UseTable.hash(key, id), milliseconds: engine.wallMilliseconds)
    }

    func lastUse(_ key: RawSpan, _ id: NamespaceID) -> Int64? { uses.load()?.lastUse(UseTable.hash(key, id)) }

    /// Creates the table from the stored pieces, if there is none yet.
    func prepareUses() throws(StorageError) {
        guard uses.load() == nil else { return }
        let table = UseTable(engine.reserveMemory(UseTable.bytes))
        if let id = engine.namespace(named: StoreCore.usesName)?.id {
            for piece in 0..<UseTable.pieceCount {
                let key = [UInt8(piece)]
                _ = try unsafe engine.withValue(forKey: key.span.bytes, in: id) { (value) in
                    unsafe value.withUnsafeBytes { (buffer) in
                        let value = unsafe Bytes(buffer)
                        // Pieces of another format are ignored: only the times of reads are lost.
                        guard value.count > 0, value[0] == StoreCore.usesFormat else { return }
                        table.restore(piece, value.suffix(from: 1))
                    }
                }
            }
        }
        _ = uses.storeIfNil(table)
    }

    func keepUses() throws(StorageError) {
        guard let table = uses.load(), options.engine.mode != .readOnly else { return }
        let pieces = table.takeChangedPieces()
        guard !pieces.isEmpty else { return }
        do throws(StorageError) {
            let id = try engine.createNamespace(named: StoreCore.usesName)
            for piece in pieces {
                var value = ByteBuffer(capacity: UseTable.pieceBytes + 1)
                value.append(StoreCore.usesFormat)
                table.append(piece, to: &value)
                try unsafe engine.put(value.bytes.span, forKey: [UInt8(piece)].span.bytes, in: id)
            }
        } catch {
            for piece in pieces { table.markChanged(piece) }
            throw error
        }
    }
}
