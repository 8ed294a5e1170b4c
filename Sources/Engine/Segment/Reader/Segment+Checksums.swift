package import ShaleBase

extension Segment {
    /// Reads the whole segment and verifies the checksum of each part: data blocks, dictionaries, value codes and
    /// tables, and that index and directory agree with the recorded metadata.
    ///
    /// Shows that a copy is what was written once, in a small part of the time of ``verify(_:)``, which also decodes
    /// the blocks and compares the entries with the tables.
    ///
    /// - Parameter progress: Called after every block with its stored bytes. May throw to stop.
    package func verifyChecksums(_ progress: (UInt64) throws(StorageError) -> Void) throws(StorageError) {
        let index = try index()
        var reader = StoredBlockReader(pieceBytesMax: 1 << 20)
        for block in 0..<index.count {
            let place = index.place(block)
            let stored = try reader.read(block, of: self, .forward)
            do {
                try DataBlockReader.verify(stored, place, file)
            } catch {
                throw file.corruption(error.reason, at: place.handle.offset)
            }
            _ = try coders(forBlock: block, place.codec)
            try progress(UInt64(place.handle.totalBytes))
        }
    }
}
