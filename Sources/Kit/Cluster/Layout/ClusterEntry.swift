import ShaleBase

/// An entry of a shard: the value of an omap key. On the cluster, do not change: ShaleCluster.docc, "Layout on RADOS".
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 1 | form: 1 an envelope follows, 2 a ``LargeValue`` follows |
/// | 1 | 1 | flags: bit 0 purgeable, bit 1 expires; others 0 |
/// | 2 | 8 | generation of the shard when the entry was written |
/// | 10 | 8 | time of expiry in milliseconds since 1970, if flagged |
/// | … | | envelope of the value: Shale.docc, "Value envelope" |
/// | last 8 | 8 | XXH3-64 of the namespace's id, the key, and the bytes before |
///
/// The checksum binds an entry to its place, so that no read returns the value of another key.
struct ClusterEntry: Equatable, Sendable {
    enum Content: Equatable, Sendable {
        case envelope([UInt8])
        case large(LargeValue)
    }

    fileprivate static let headerBytes = 10
    fileprivate static let checksumBytes = 8
    /// The most bytes around the content.
    static let overheadBytes = 26
    fileprivate static let inlineForm: UInt8 = 1
    fileprivate static let largeForm: UInt8 = 2
    fileprivate static let purgeableFlag: UInt8 = 1
    fileprivate static let expiryFlag: UInt8 = 2

    let generation: UInt64
    let isPurgeable: Bool
    let expiresAtMilliseconds: Int64?
    let content: Content

    init(generation: UInt64, isPurgeable: Bool, expiresAtMilliseconds: Int64?, content: Content) {
        self.generation = generation
        self.isPurgeable = isPurgeable
        self.expiresAtMilliseconds = expiresAtMilliseconds
        self.content = content
    }

    /// The object that holds the value; `nil` if the entry itself does.
    var large: LargeValue? {
        if case .large(let value) = content { value } else { nil }
    }

    /// True if the entry has expired at `now`.
    func isExpired(at now: Int64) -> Bool { expiresAtMilliseconds.map { $0 <= now } ?? false }

    func bytes(namespace: [UInt8], key: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes, namespace: namespace, key: key)
        return bytes
    }

    /// Appends the bytes of the entry.
    func append(to bytes: inout [UInt8], namespace: [UInt8], key: [UInt8]) {
        let (form, rest): (UInt8, [UInt8])
        switch content {
        case .envelope(let envelope): (form, rest) = (ClusterEntry.inlineForm, envelope)
        case .large(let value): (form, rest) = (ClusterEntry.largeForm, value.bytes)
        }
        let start = bytes.count
        bytes.append(form)
        bytes.append(
            (isPurgeable ? ClusterEntry.purgeableFlag : 0)
                | (expiresAtMilliseconds == nil ? 0 : ClusterEntry.expiryFlag))
        bytes.append(littleEndian: generation)
        if let expiresAtMilliseconds { bytes.append(littleEndian: expiresAtMilliseconds) }
        bytes += rest
        bytes.append(
            littleEndian: ClusterEntry.checksum(namespace, key.span, bytes.span.extracting(start...).checksum))
    }

    /// Returns the checksum of an entry from that of its other bytes.
    fileprivate static func checksum(_ namespace: [UInt8], _ key: Span<UInt8>, _ bytes: UInt64) -> UInt64 {
        unsafe withUnsafeTemporaryAllocation(byteCount: namespace.count + 8 + key.count, alignment: 8) { (place) in
            unsafe place.copyBytes(from: namespace)
            unsafe place.storeBytes(of: bytes.littleEndian, toByteOffset: namespace.count, as: UInt64.self)
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: place[(namespace.count + 8)...])
            unsafe key.withUnsafeBytes { unsafe rest.copyMemory(from: $0) }
            return XXH3.hash(unsafe Bytes(UnsafeRawBufferPointer(place)))
        }
    }

    init(_ bytes: [UInt8], namespace: [UInt8], key: [UInt8]) throws(StorageError) {
        try self.init(bytes.span, namespace: namespace, key: key)
    }

    /// Parses the entry of a key. Throws `.corruption` and `.newerFormat`.
    init(_ bytes: Span<UInt8>, namespace: [UInt8], key: [UInt8]) throws(StorageError) {
        try self.init(try EntryFrame(bytes, namespace: namespace, key: key.span), bytes)
    }

    /// Copies the content of an entry with this frame.
    init(_ frame: EntryFrame, _ bytes: Span<UInt8>) throws(StorageError) {
        generation = frame.generation
        isPurgeable = frame.isPurgeable
        expiresAtMilliseconds = frame.expiresAtMilliseconds
        let rest = [UInt8](copying: bytes.extracting(frame.content))
        content = frame.isLarge ? .large(try LargeValue(rest)) : .envelope(rest)
    }
}

/// The parts of a stored entry around its content, which stays where it is.
struct EntryFrame: Sendable {
    let generation: UInt64
    let isPurgeable: Bool
    let expiresAtMilliseconds: Int64?
    /// True if the content is a ``LargeValue``.
    let isLarge: Bool
    /// The place of the content in the entry.
    let content: Range<Int>

    /// Checks the entry of a key. Throws `.corruption` and `.newerFormat`.
    init(_ bytes: Span<UInt8>, namespace: [UInt8], key: Span<UInt8>) throws(StorageError) {
        let end = bytes.count - ClusterEntry.checksumBytes
        guard end >= ClusterEntry.headerBytes,
            ClusterEntry.checksum(namespace, key, bytes.extracting(..<end).checksum) == bytes.littleEndian(at: end)
        else { throw .corruption("an entry of a shard is damaged bytes=\(bytes.count)") }
        let (form, flags) = (bytes[0], bytes[1])
        guard form == ClusterEntry.inlineForm || form == ClusterEntry.largeForm,
            flags & ~(ClusterEntry.purgeableFlag | ClusterEntry.expiryFlag) == 0
        else {
            throw StorageError(
                .newerFormat, "an entry has a form that this version does not know form=\(form) flags=\(flags)")
        }
        generation = bytes.littleEndian(at: 2)
        isPurgeable = flags & ClusterEntry.purgeableFlag != 0
        isLarge = form == ClusterEntry.largeForm
        let expires = flags & ClusterEntry.expiryFlag != 0
        let start = ClusterEntry.headerBytes + (expires ? 8 : 0)
        guard end >= start else { throw .corruption("an entry of a shard is too short bytes=\(bytes.count)") }
        expiresAtMilliseconds = expires ? bytes.littleEndian(at: ClusterEntry.headerBytes) : nil
        content = start..<end
    }
}
