import ShaleBase

/// The state of a shard, in the attribute `shale` of its object. On the cluster, do not change: ShaleCluster.docc,
/// "Layout on RADOS".
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 4 | `SHc1` |
/// | 4 | 16 | id of the namespace |
/// | 20 | 4 | index of the shard |
/// | 24 | 8 | generation: the stamp of entries that are written now |
/// | 32 | 8 | purged: purgeable entries with a lower stamp are erased |
/// | 40 | 8 | truncated: entries with a lower stamp are erased |
/// | 48 | 4 | data key: encrypted values are written under this key of the namespace or a later one |
/// | 52 | 8 | XXH3-64 of the bytes before |
///
/// Each write compares the attribute with the header that the client knows, in the same operation. So an entry always
/// has the generation that its shard had when it was written.
///
/// The data of the object has no content. Its size, ``size``, follows from the generation. A read gets the size with
/// the entries: an OSD has it at hand, while it would have to find an attribute and compare it.
struct ShardHeader: Equatable, Sendable {
    private static let magic = Array("SHc1".utf8)
    static let byteCount = 60

    let namespace: [UInt8]
    let index: UInt32
    private(set) var generation: UInt64 = 1
    private(set) var purged: UInt64 = 0
    private(set) var truncated: UInt64 = 0
    private(set) var dataKey: UInt32 = 0

    /// The size that stands for all generations from it on. No object may have more than 128 MiB.
    static let sizeMax: UInt64 = 1 << 20

    /// The size of the object's data.
    var size: UInt64 { min(generation, ShardHeader.sizeMax) }

    /// True if no other header of the shard has its size.
    var isKnownBySize: Bool { generation < ShardHeader.sizeMax }

    /// The steps that give a shard this header.
    var steps: [ObjectChange.Step] { [.setAttribute(bytes), .setSize(size)] }

    /// The steps that mark a shard whose namespace is being dropped. No read has its size, and no write its attribute.
    static let droppedSteps: [ObjectChange.Step] = [.setAttribute(dropped), .setSize(0)]

    init(namespace: [UInt8], index: Int) {
        self.namespace = namespace
        self.index = UInt32(index)
    }

    /// Returns the header with the next generation. Nothing is erased.
    func advanced() -> ShardHeader {
        var header = self
        header.generation += 1
        return header
    }

    /// Returns the header after a purge: entries that are purgeable and have been written until now are erased.
    func purging() -> ShardHeader {
        var header = self
        header.generation += 1
        header.purged = header.generation
        return header
    }

    /// Returns the header after a truncation: all entries that have been written until now are erased.
    func truncating() -> ShardHeader {
        var header = self
        header.generation += 1
        header.truncated = header.generation
        return header
    }

    /// Returns the header after which encrypted values are written under a data key or a later one.
    func requiring(dataKey: UInt32) -> ShardHeader {
        var header = advanced()
        header.dataKey = max(dataKey, self.dataKey)
        return header
    }

    /// True if a purge or a truncation has erased an entry.
    func erases(_ entry: ClusterEntry) -> Bool { erases(entry.generation, isPurgeable: entry.isPurgeable) }

    /// True if a purge or a truncation has erased the entries with a stamp.
    func erases(_ stamp: UInt64, isPurgeable: Bool) -> Bool {
        stamp < truncated || isPurgeable && stamp < purged
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(ShardHeader.byteCount)
        bytes += ShardHeader.magic
        bytes += namespace
        bytes.append(littleEndian: index)
        bytes.append(littleEndian: generation)
        bytes.append(littleEndian: purged)
        bytes.append(littleEndian: truncated)
        bytes.append(littleEndian: dataKey)
        bytes.append(littleEndian: bytes.checksum)
        return bytes
    }

    /// The header of a shard whose namespace is being dropped.
    private static let dropped = Array("SHx1".utf8)

    /// Parses a header. Throws `.newerFormat`, `.corruption` and `.namespaceDropped`.
    init(_ bytes: [UInt8]) throws(StorageError) {
        if bytes == ShardHeader.dropped { throw StorageError(.namespaceDropped, "the namespace was dropped") }
        guard bytes.starts(with: ShardHeader.magic) else {
            guard bytes.starts(with: ShardHeader.magic.prefix(3)) else {
                throw .corruption("a shard's header is not valid bytes=\(bytes.count)")
            }
            throw StorageError(.newerFormat, "a newer version wrote a shard's header")
        }
        guard bytes.count == ShardHeader.byteCount,
            bytes.checksum(ofFirst: bytes.count - 8) == bytes.littleEndian(at: bytes.count - 8)
        else { throw .corruption("a shard's header is damaged bytes=\(bytes.count)") }
        namespace = Array(bytes[4..<20])
        index = bytes.littleEndian(at: 20)
        generation = bytes.littleEndian(at: 24)
        purged = bytes.littleEndian(at: 32)
        truncated = bytes.littleEndian(at: 40)
        dataKey = bytes.littleEndian(at: 48)
        guard purged <= generation, truncated <= generation, generation > 0, generation < .max else {
            throw .corruption("a shard's header has generations out of order")
        }
    }
}

extension [UInt8] {
    mutating func append<T: FixedWidthInteger & BitwiseCopyable>(littleEndian value: T) {
        unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
    }

    init(copying bytes: RawSpan) { self = unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) } }

    init(copying bytes: Span<UInt8>) { unsafe self.init(copying: bytes.bytes) }

    /// Returns the integer at an offset, which the caller has checked.
    func littleEndian<T: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: T.Type = T.self) -> T {
        span.littleEndian(at: offset)
    }

    var checksum: UInt64 { span.checksum }

    /// Returns the checksum of the first bytes, of which there are at least `count`.
    func checksum(ofFirst count: Int) -> UInt64 { span.extracting(..<count).checksum }
}

extension Span<UInt8> {
    /// True if the bytes are smaller than others, with a proper prefix first.
    func precedes(_ other: Span<UInt8>) -> Bool { compared(to: other) < 0 }

    /// Returns a number below 0 if the bytes precede others, 0 if they are equal, and one above 0 if they follow.
    func compared(to other: Span<UInt8>) -> Int {
        unsafe withUnsafeBytes { (one) in
            unsafe other.withUnsafeBytes { (other) in unsafe Bytes.compare(Bytes(one), Bytes(other)) }
        }
    }

    /// Returns the integer at an offset, which the caller has checked.
    func littleEndian<T: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: T.Type = T.self) -> T {
        T(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: T.self))
    }

    var checksum: UInt64 { unsafe withUnsafeBytes { XXH3.hash(unsafe Bytes($0)) } }
}
