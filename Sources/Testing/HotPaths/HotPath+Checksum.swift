import ShaleBase

extension HotPath {
    static func checksum(bytes: Int) -> HotPath {
        HotPath("checksum-\(bytes)", "the checksum of \(bytes) bytes") {
            let memory = OwnedBytes(count: bytes + 4096)
            for i in 0..<memory.count { memory.mutable.store(UInt8(truncatingIfNeeded: i &* 31), at: i) }
            return { operations in checksumLoop(memory.bytes, bytes, operations) }
        }
    }

    /// The next stretch begins where the last sum says: no sum can be left out or moved out of the loop.
    @inline(never)
    private static func checksumLoop(_ memory: Bytes, _ length: Int, _ operations: Int) -> UInt64 {
        var digest: UInt64 = 0
        for step in 0..<operations {
            let start = Int(digest & 4095)
            digest = Checksum.of(
                memory.slice(start, length), file: 1, offset: UInt64(truncatingIfNeeded: step))
        }
        return digest
    }
}

/// The sum that every block carries, but for its place, by itself: what no reader of blocks can leave out. For rooflines.
public func blockSum(_ bytes: UnsafeRawBufferPointer) -> UInt64 { unsafe XXH3.hash(Bytes(bytes)) }
