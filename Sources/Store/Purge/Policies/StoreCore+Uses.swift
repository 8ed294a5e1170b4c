import ShaleBase
import Synchronization

/// Uses are kept in a namespace of the store's own, in which a piece of the table is a value: format 1 u8 | places u64 each.
/// Written when policies are applied and when the store is closed, never by a read. What was noted since goes with a crash.
extension StoreCore {
    private static let usesName = NamespaceName.internalName("uses")
    private static let usesFormat: UInt8 = 1

    func noteUse(_ key: RawSpan, _ id: NamespaceID) {
        uses.load()?.note(UseTable.hash(key, id), milliseconds: engine.wallMilliseconds)
    }

    func lastUse(_ key: RawSpan, _ id: NamespaceID) -> Int64? { uses.load()?.lastUse(UseTable.hash(key, id)) }

    /// Makes the table, with what was kept, if there is none yet.
    func prepareUses() throws(StorageError) {
        guard uses.load() == nil else { return }
        let table = UseTable(engine.reserveMemory(UseTable.bytes))
        if let id = engine.namespace(named: StoreCore.usesName)?.id {
            for piece in 0..<UseTable.pieceCount {
                let key = [UInt8(piece)]
                _ = try unsafe engine.withValue(forKey: key.span.bytes, in: id) { (value) in
                    unsafe value.withUnsafeBytes { (buffer) in
                        let value = unsafe Bytes(buffer)
                        // Another version's are no loss: they are only what somebody read.
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
