import ShaleBase

/// The record of a namespace: the attribute `shale` of its object `shale`. On the cluster, do not change:
/// ShaleCluster.docc, "Layout on RADOS".
///
/// `SHn1`, then fields tag u16 | length u32 | bytes with ascending tags, then XXH3-64 of all bytes before.
///
/// - 1 id of the namespace (16 random bytes)
/// - 2 number of shards (u32)
/// - 3 partitioning (u8 0 whole key, 1 first bytes, 2 through a byte; then u8 the number or the byte, 0 for the whole
///   key)
/// - 4 state (u8: 1 its shards are being made, 2 ready, 3 being dropped)
/// - 5 options: flags u8 (bit 0 purgeable, bit 1 encrypted), time to live i64 (milliseconds, 0 none)
/// - 6 keys of encrypted values (`StoredNamespaceKeys`), if the namespace was made with encryption
///
/// Readers skip unknown tags with bit 15 set; any other unknown tag means a newer format.
struct NamespaceRecord: Equatable, Sendable {
    enum State: UInt8, Sendable {
        case making = 1
        case ready = 2
        case dropping = 3
    }

    static let shardsMax = 65_536
    static let idBytes = 16
    private static let magic = Array("SHn1".utf8)

    let id: [UInt8]
    let shards: Int
    let partitioning: ClusterPartitioning
    var state: State
    let isPurgeable: Bool
    let isEncrypted: Bool
    /// 0 means that entries don't expire.
    let lifetimeMilliseconds: Int64
    /// Empty for a namespace that was made without encryption.
    var keys: [UInt8]

    init(
        id: [UInt8], shards: Int, partitioning: ClusterPartitioning, state: State, isPurgeable: Bool,
        isEncrypted: Bool, lifetimeMilliseconds: Int64, keys: [UInt8]
    ) {
        self.id = id
        self.shards = shards
        self.partitioning = partitioning
        self.state = state
        self.isPurgeable = isPurgeable
        self.isEncrypted = isEncrypted
        self.lifetimeMilliseconds = lifetimeMilliseconds
        self.keys = keys
    }

    /// Makes the record of a namespace whose shards are to be made. The caller has checked the layout.
    init(id: [UInt8], layout: ClusterLayout, keys: [UInt8] = []) {
        self.init(
            id: id, shards: layout.shards, partitioning: layout.partitioning, state: .making,
            isPurgeable: layout.isPurgeable, isEncrypted: layout.isEncrypted,
            lifetimeMilliseconds: layout.timeToLive?.roundedMilliseconds ?? 0, keys: keys)
    }

    /// The layout that the namespace was made with.
    var layout: ClusterLayout {
        ClusterLayout(
            shards: shards, partitioning: partitioning, isPurgeable: isPurgeable, isEncrypted: isEncrypted,
            timeToLive: lifetimeMilliseconds == 0 ? nil : .milliseconds(lifetimeMilliseconds))
    }

    var bytes: [UInt8] {
        var bytes = NamespaceRecord.magic
        func append(_ tag: UInt16, _ content: [UInt8]) {
            bytes.append(littleEndian: tag)
            bytes.append(littleEndian: UInt32(content.count))
            bytes += content
        }
        func number<T: FixedWidthInteger & BitwiseCopyable>(_ value: T) -> [UInt8] {
            var number: [UInt8] = []
            number.append(littleEndian: value)
            return number
        }
        append(1, id)
        append(2, number(UInt32(shards)))
        switch partitioning {
        case .wholeKey: append(3, [0, 0])
        case .firstBytes(let count): append(3, [1, UInt8(clamping: count)])
        case .separator(let separator): append(3, [2, separator])
        }
        append(4, [state.rawValue])
        append(5, [(isPurgeable ? 1 : 0) | (isEncrypted ? 2 : 0)] + number(lifetimeMilliseconds))
        if !keys.isEmpty { append(6, keys) }
        bytes.append(littleEndian: bytes.checksum)
        return bytes
    }

    /// Parses a record. Throws `.newerFormat` and `.corruption`.
    init(_ bytes: [UInt8]) throws(StorageError) {
        let content = bytes.count - 8
        guard content >= NamespaceRecord.magic.count, bytes.starts(with: NamespaceRecord.magic.prefix(3)) else {
            throw .corruption("a namespace's record is not valid bytes=\(bytes.count)")
        }
        guard Array(bytes.prefix(content)).checksum == bytes.littleEndian(at: content) else {
            throw .corruption("a namespace's record is damaged bytes=\(bytes.count)")
        }
        let parsed: NamespaceRecord?
        do throws(ParseFailure) {
            parsed = try unsafe bytes.span.bytes.withUnsafeBytes { (buffer) throws(ParseFailure) in
                try NamespaceRecord.parse(unsafe Bytes(buffer).slice(0, content))
            }
        } catch {
            throw .corruption("a namespace's record is not valid: \(error.reason)")
        }
        guard let parsed, bytes.starts(with: NamespaceRecord.magic) else {
            throw StorageError(.newerFormat, "a newer version wrote a namespace's record")
        }
        self = parsed
    }

    /// Returns `nil` for a record of a newer version.
    private static func parse(_ bytes: Bytes) throws(ParseFailure) -> NamespaceRecord? {
        var reader = ByteReader(bytes.suffix(from: magic.count))
        var fields: [UInt16: ByteReader] = [:]
        while !reader.isAtEnd {
            let tag = try reader.u16("a tag")
            let field = try reader.slice(Int(try reader.u32("a length")), "a field")
            guard (1...6).contains(tag) || tag >= 0x8000 else { return nil }
            fields[tag] = ByteReader(field)
        }
        var count = try fields.field(2)
        var rule = try fields.field(3)
        var state = try fields.field(4)
        var options = try fields.field(5)
        let shards = Int(try count.u32())
        let (kind, number) = (try rule.u8(), try rule.u8())
        let partitioning: ClusterPartitioning
        switch kind {
        case 0: partitioning = .wholeKey
        case 1: partitioning = .firstBytes(Int(number))
        case 2: partitioning = .separator(number)
        default: return nil
        }
        guard let known = State(rawValue: try state.u8()) else { return nil }
        let flags = try options.u8()
        guard flags <= 3 else { return nil }
        let record = NamespaceRecord(
            id: try fields.field(1).bytes.array(), shards: shards, partitioning: partitioning, state: known,
            isPurgeable: flags & 1 != 0, isEncrypted: flags & 2 != 0, lifetimeMilliseconds: try options.i64(),
            keys: fields.keys.contains(6) ? try fields.field(6).bytes.array() : [])
        guard record.id.count == idBytes, (1...shardsMax).contains(shards), record.lifetimeMilliseconds >= 0,
            partitioning != .firstBytes(0), count.isAtEnd, rule.isAtEnd, state.isAtEnd, options.isAtEnd
        else { throw ParseFailure("a field is out of range") }
        return record
    }
}

extension Duration {
    /// The duration in milliseconds, rounded up, at most 2^62.
    var roundedMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds < 1 << 52 else { return 1 << 62 }
        return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
