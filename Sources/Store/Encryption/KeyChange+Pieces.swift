import ShaleBase
import ShaleEngine

/// Values that were written in pieces, which are encrypted again piece by piece: they may not fit into memory.
extension KeyChange {
    /// The form of an encrypted value at one moment, with its key.
    private struct Source {
        let layout: PieceLayout
        let cipher: PieceCipher
        let dataKey: UInt32
        let info: EntryInfo
        let writtenAt: Int64?
        /// The bytes before the pieces, and of the pieces together.
        let start: Int
        let byteCount: Int
    }

    /// Encrypts the value of a key under the present data key, unless it is under one of the keys `active` by now. The
    /// value stays in pieces. Returns true if it was rewritten.
    ///
    /// A value that is overwritten meanwhile is under the new key already.
    func rewriteInPieces(
        _ key: [UInt8], unless active: Set<UInt32>, _ slots: [UInt32: KeySlot]
    ) throws(StorageError) -> Bool {
        let engine = state.core.engine
        while true {
            let moment = engine.snapshot()
            guard let source = try source(key, at: moment), !active.contains(source.dataKey) else { return false }
            let options = PutOptions(
                isPurgeable: source.info.isPurgeable, expiresAtMilliseconds: source.info.expiresAtMilliseconds)
            let chosen = slots[source.dataKey].flatMap { $0.isChosen ? $0.cipher : nil }
            var sealing = try unsafe state.pieceSealing(
                key.span.bytes, id, options, chosen, writtenAt: source.writtenAt)
            let writer = try engine.makeValueWriter()
            let write = { (sealed: RawSpan) throws(StorageError) in try writer.append(sealed) }
            for number in try source.layout.pieces(with: 0..<Int.max, of: source.byteCount) {
                let plain = try open(number, of: source, key, at: moment)
                try plain.withBytes { (plain) throws(StorageError) in try sealing.append(plain, write) }
            }
            try sealing.finish(write)
            do throws(StorageError) {
                try unsafe writer.commit(
                    forKey: key.span.bytes, in: id, options: options, ifUnchangedSince: moment)
                return true
            } catch {
                writer.cancel()
                guard error.code == .conflict else { throw error }
            }
        }
    }

    /// Returns `nil` if the key does not have an encrypted value in pieces.
    private func source(_ key: [UInt8], at moment: Engine.Snapshot) throws(StorageError) -> Source? {
        try unsafe state.core.engine.withParts(forKey: key.span.bytes, in: id, at: moment) {
            (entry) throws(StorageError) -> Source? in
            try entry.withBytes(0..<ValueInfo.beginningBytes) { (value) throws(StorageError) -> Source? in
                if Envelope.isPlain(value) { return nil }
                let sealed = try SealedEnvelope(value)
                guard let layout = sealed.layout else { return nil }
                let start = value.count - sealed.payloadByteCount
                return Source(
                    layout: layout,
                    cipher: try unsafe state.pieceCipher(sealed, layout, key.span.bytes, id, entry.info),
                    dataKey: sealed.dataKey, info: entry.info, writtenAt: try EnvelopeExtension.writtenAt(value),
                    start: start, byteCount: entry.byteCount - start)
            }
        } ?? nil
    }

    /// Each piece is looked up on its own: an entry is pinned while it is read.
    private func open(
        _ number: Int, of source: Source, _ key: [UInt8], at moment: Engine.Snapshot
    ) throws(StorageError) -> [UInt8] {
        let (place, isLast) = source.layout.place(of: number, in: source.byteCount)
        let plain = try unsafe state.core.engine.withParts(forKey: key.span.bytes, in: id, at: moment) {
            (entry) throws(StorageError) -> [UInt8] in
            try entry.withBytes(source.start + place.lowerBound..<source.start + place.upperBound) {
                (sealed) throws(StorageError) in
                var plain: [UInt8] = []
                try source.cipher.open(sealed, number: number, isLast: isLast, appendingTo: &plain)
                return plain
            }
        }
        guard let plain else { throw StorageError(.conflict, "a value has gone while its key was changed") }
        return plain
    }
}
