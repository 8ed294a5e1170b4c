import ShaleBase

/// The rule by which the keys of a namespace on a cluster are divided into partitions.
///
/// All keys of a partition are in one shard, so a batch of them is atomic, and a scan of them reads one object. The
/// rule is stored with the namespace and never changes.
public enum ClusterPartitioning: Sendable, Hashable {
    /// Each key is a partition. Keys spread evenly; batches of several keys are refused.
    case wholeKey
    /// Keys with the same first bytes are a partition; shorter keys are partitions of their own. 1 … 255 bytes.
    case firstBytes(Int)
    /// Keys with the same bytes up to the first occurrence of a byte, such as `UInt8(ascii: "/")`, are a partition.
    /// Keys without the byte are partitions of their own.
    case separator(UInt8)

    /// Returns the number of bytes of `key` that name its partition.
    func length(in key: [UInt8]) -> Int {
        switch self {
        case .wholeKey: key.count
        case .firstBytes(let bytes): min(bytes, key.count)
        case .separator(let separator): key.firstIndex(of: separator).map { $0 + 1 } ?? key.count
        }
    }

    /// True if two keys are of one partition.
    func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        let length = length(in: one)
        return length == self.length(in: other) && one[..<length] == other[..<length]
    }

    /// Returns the shard of a key: XXH3-64 of the partition's bytes, modulo the number of shards. On the cluster, do
    /// not change.
    func shard(of key: [UInt8], count: Int) -> Int {
        let length = length(in: key)
        let hash = unsafe key.withUnsafeBytes {
            XXH3.hash(unsafe Bytes(UnsafeRawBufferPointer(rebasing: $0[..<length])))
        }
        return Int(hash % UInt64(count))
    }

    /// Returns the one shard that holds all keys that start with `prefix`; `nil` if several may hold some.
    func shard(ofPrefix prefix: [UInt8], count: Int) -> Int? {
        switch self {
        case .wholeKey: return nil
        case .firstBytes(let bytes): return prefix.count >= bytes ? shard(of: prefix, count: count) : nil
        case .separator(let separator):
            return prefix.contains(separator) ? shard(of: prefix, count: count) : nil
        }
    }
}
