import ShaleBase
import Synchronization

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
