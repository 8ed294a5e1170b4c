public import ShaleBase
import ShaleEngine

extension NamespaceReader {
    /// Returns a range of the bytes of `key`; `nil` if the key is missing.
    ///
    /// ```swift
    /// let head = try pictures.bytes(forKey: "cat.jpg", in: 0..<4096)
    /// ```
    /// Of a value in a value file (`Engine.Options.largeValueBytes`) only the chunks of 64 KiB that overlap the range
    /// are read and checked. Of an encrypted value that was written in pieces (``Store/ValueWriter``) only the pieces
    /// of 64 KiB that overlap the range are decrypted, and the last one if the range reaches the end. Any other
    /// encrypted value is authenticated as a whole, so it is read and decrypted as a whole. A value that is not in a
    /// value file is read as a whole too.
    ///
    /// - Parameters:
    ///   - key: The key of a `Data` or `[UInt8]`.
    ///   - range: The bytes of the value. A range that reaches beyond the value ends with the value.
    /// - Returns: The bytes; fewer than the range has if the value ends before.
    /// - Throws: `.invalidArgument` if the range begins below 0; `.typeMismatch` if the value is no bytes; the errors
    ///   of ``value(forKey:as:)``.
    /// - Complexity: O(log n + range), for an encrypted value O(log n + value).
    public func bytes(forKey key: some StoreKey, in range: Range<Int>) throws(StorageError) -> [UInt8]? {
        guard range.lowerBound >= 0 else { throw .invalid("a range of bytes begins below 0") }
        return try key.withKeyBytes { (key) throws(StorageError) in
            try source.bytes(key, range)
        }
    }
}

extension Store.Namespace.Source {
    /// The bytes of a value that have its header, with an extension of the known fields.
    private static var headerBytesMax: Int { Envelope.headerBytes + EnvelopeExtension.writeTimeBytes }

    /// Returns a range of the payload of a key, which has bytes; `nil` if the key is missing.
    func bytes(_ key: RawSpan, _ range: Range<Int>) throws(StorageError) -> [UInt8]? {
        switch try begin(key) {
        case .stored: break
        case .removed: return nil
        case .written(let value, let info, let id):
            state.noteUse(key, id)
            return try unsafe state.withPlain(value.span.bytes, info, key, id) { (plain) throws(StorageError) in
                try Self.bytes(range, ofEnvelope: plain)
            }
        }
        return try reading { (id, snapshot) throws(StorageError) in
            try state.core.engine.withParts(forKey: key, in: id, at: snapshot) { (entry) throws(StorageError) in
                state.noteUse(key, id)
                if let part = try Self.bytes(range, of: entry) { return part }
                if let part = try sealedBytes(range, of: entry, key, id) { return part }
                return try entry.withWhole { (found) throws(StorageError) in
                    try state.withPlain(found, key, id) { (plain) throws(StorageError) in
                        try Self.bytes(range, ofEnvelope: plain)
                    }
                }
            }
        }
    }

    /// Reads the header of a value in a value file, and then a range of its payload. Returns `nil` if the value has to
    /// be read as a whole: it is in memory, or encrypted, or it has a header of a later version.
    private static func bytes(_ range: Range<Int>, of entry: PartialEntry) throws(StorageError) -> [UInt8]? {
        guard !entry.isInMemory, entry.byteCount > headerBytesMax else { return nil }
        let header = try entry.withBytes(0..<headerBytesMax) { (value) throws(StorageError) -> Header? in
            guard Envelope.isPlain(value), Envelope.isShort(value) else { return nil }
            let envelope = try Envelope(value)
            return Header(codec: envelope.codec, byteCount: value.count - envelope.payload.count)
        }
        guard let header else { return nil }
        let part = range.clamped(to: 0..<entry.byteCount - header.byteCount)
        let place = part.lowerBound + header.byteCount..<part.upperBound + header.byteCount
        return try entry.withBytes(place) { (bytes) throws(StorageError) in
            try [UInt8](payload: bytes.span, codec: header.codec)
        }
    }

    /// Decrypts the pieces with a range of a value in a value file. Returns `nil` if the value has to be read as a
    /// whole: it is in memory, or not in pieces, or it has a header of a later version.
    private func sealedBytes(
        _ range: Range<Int>, of entry: PartialEntry, _ key: RawSpan, _ id: NamespaceID
    ) throws(StorageError) -> [UInt8]? {
        guard !entry.isInMemory, entry.byteCount > ValueInfo.beginningBytes else { return nil }
        let parts = try entry.withBytes(0..<ValueInfo.beginningBytes) {
            (value) throws(StorageError) -> (PieceLayout, PieceCipher, start: Int, codec: UInt8)? in
            guard !Envelope.isPlain(value), Envelope.isShort(value) else { return nil }
            let sealed = try SealedEnvelope(value)
            guard let layout = sealed.layout else { return nil }
            let cipher = try state.pieceCipher(sealed, layout, key, id, entry.info)
            return (layout, cipher, value.count - sealed.payloadByteCount, sealed.codec)
        }
        guard let (layout, cipher, start, codec) = parts else { return nil }
        let count = entry.byteCount - start
        let numbers = try layout.pieces(with: range, of: count)
        var plain: [UInt8] = []
        for number in numbers {
            let (place, isLast) = layout.place(of: number, in: count)
            try entry.withBytes(start + place.lowerBound..<start + place.upperBound) {
                (sealed) throws(StorageError) in
                try cipher.open(sealed, number: number, isLast: isLast, appendingTo: &plain)
            }
        }
        let first = numbers.lowerBound * layout.plainBytes
        let part = range.clamped(to: first..<first + plain.count)
        return try plain.withBytes { (plain) throws(StorageError) in
            try [UInt8](
                payload: plain.slice(part.lowerBound - first, part.count).span, codec: ValueCodec(rawValue: codec))
        }
    }

    /// The codec of a value, and the number of bytes before its payload.
    private struct Header {
        let codec: ValueCodec
        let byteCount: Int
    }

    private static func bytes(_ range: Range<Int>, ofEnvelope value: RawSpan) throws(StorageError) -> [UInt8] {
        try Envelope.read(value) { (envelope) throws(StorageError) in
            let part = range.clamped(to: 0..<envelope.payload.count)
            return try [UInt8](
                payload: envelope.payload.slice(part.lowerBound, part.count).span, codec: envelope.codec)
        }
    }
}
