package import ShaleBase
import ShalePlatform

/// A value that is appended to a value file in pieces, and whose length is not known before the last one.
///
/// Until ``finish()`` has returned, the file has no record of the value: its end is where it was, and the next append
/// takes the place. Used by one thread, which appends nothing else to the file meanwhile.
package struct GrowingValue: ~Copyable {
    private let file: ValueFileWriter
    /// The chunk table so far.
    private var hashes = ByteBuffer()
    /// The number of bytes that were appended.
    package private(set) var count = 0

    package init(in file: ValueFileWriter) { self.file = file }

    /// Appends a piece of the value.
    ///
    /// - Parameter piece: Whole chunks; only the last piece of the value may end inside a chunk.
    package mutating func append(_ piece: Bytes) throws(IOFailure) {
        assert(count % ValueFileFormat.chunkBytes == 0 && count + piece.count <= FormatLimits.streamedValueBytes)
        try file.write(piece, intoRecordAt: ValueFileFormat.recordHeaderBytes + count)
        var start = 0
        while start < piece.count {
            let length = min(ValueFileFormat.chunkBytes, piece.count - start)
            hashes.append(XXH3.hash(piece.slice(start, length)))
            start += length
        }
        count += piece.count
    }

    /// Writes the chunk table and then the header of the record, and returns the reference to the value.
    package mutating func finish() throws(IOFailure) -> ValueReference {
        let hash: UInt64
        if count > ValueFileFormat.chunkBytes {
            try file.write(hashes.bytes, intoRecordAt: ValueFileFormat.recordHeaderBytes + count)
            hash = XXH3.hash(hashes.bytes)
        } else {
            hash = count == 0 ? XXH3.hash(.empty) : hashes.bytes.u64(at: 0)
        }
        return try file.complete(count: count, hash: hash)
    }
}

extension ValueFileWriter {
    /// Appends the value at `reference`, which `source` reads and checks in pieces.
    package func append(copyOf reference: ValueReference, from source: ValueSource) throws(StorageError)
        -> ValueReference
    {
        var value = GrowingValue(in: self)
        try source.file(reference.file).forEachPiece(of: reference) { (piece) throws(StorageError) in
            do throws(IOFailure) { try value.append(piece) } catch { throw error.storageError }
        }
        do throws(IOFailure) { return try value.finish() } catch { throw error.storageError }
    }
}
