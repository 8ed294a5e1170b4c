package import ShaleBase

/// The hash of a value, and the hashes of its chunks.
///
/// The hash of a value of one chunk is XXH3-64 of the chunk. That of a longer one is XXH3-64 of its *chunk table*: the
/// XXH3-64 of each chunk, as u64, in order. So a reader of a range needs the table and the chunks that overlap the
/// range, and a reader of the whole value computes the table. On disk, do not change: DESIGN.md, "Files and records".
package struct ValueDigest: Sendable {
    package let hash: UInt64
    /// The chunk table; `nil` if the value is one chunk.
    package let table: OwnedBytes?

    /// Computes the digest of a whole value.
    ///
    /// - Complexity: O(value). One allocation if the value has more than one chunk.
    package init(of value: Bytes) {
        let tableBytes = ValueFileFormat.tableBytes(value.count)
        guard tableBytes > 0 else {
            hash = XXH3.hash(value)
            table = nil
            return
        }
        let hashes = OwnedBytes(count: tableBytes)
        var (start, place) = (0, 0)
        while start < value.count {
            let count = min(ValueFileFormat.chunkBytes, value.count &- start)
            hashes.mutable.store(XXH3.hash(value.slice(start, count)), at: place)
            start &+= count
            place &+= 8
        }
        hash = XXH3.hash(hashes.bytes)
        table = hashes
    }
}
