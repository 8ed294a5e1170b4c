import ShaleBase

extension HotPath {
    static func checksum(bytes: Int) -> HotPath {
        HotPath("checksum-\(bytes)", "the checksum of \(bytes) bytes") {
            let memory = OwnedBytes(count: bytes + 4096)
            for i in 0..<memory.count { memory.mutable.store(UInt8(truncatingIfNeeded: i &* 31), at: i) }
            return { operations in checksumLoop(memory.bytes, bytes, operations) }
        }
    }

    /// Computes checksums in a loop. Each start depends on the previous sum, so that the compiler can't remove a sum or
    /// move it out of the loop.
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

/// Returns a block's checksum without the binding to its position: the minimum work of any block reader.
///
/// For rooflines.
public func blockSum(_ bytes: UnsafeRawBufferPointer) -> UInt64 { unsafe XXH3.hash(Bytes(bytes)) }
