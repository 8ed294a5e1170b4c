import ShaleBase

/// Work that another process asks the owner of a store to do. ShaleEngine.docc, "Requests to the owner".
struct OwnerRequest: Equatable {
    enum Work: UInt8 {
        case compact = 1
        case reclaim = 2
    }

    var work: Work
    /// The namespaces that are purged first.
    var purged: [NamespaceID] = []
    var scope = CompactionScope.all
    var options = ManualCompactionOptions()

    static let file = CheckedFile(magic: "SHALEREQ")
    /// The largest request: the ids of all namespaces, and two keys.
    static let bytesMax = 4 * FormatLimits.liveNamespaces + 2 * (FormatLimits.keyBytes + 16) + 256

    private static let recompresses: UInt8 = 1
    private static let isBounded: UInt8 = 2
    private static let hasLower: UInt8 = 4
    private static let hasUpper: UInt8 = 8
    private static let keyBytesMax = FormatLimits.keyBytes + 8

    /// The content of the file: work u8, flags u8, 0 u16, bound of the extra disk space u64, number of purged
    /// namespaces u32 and their ids u32, the flagged ends of the range as u32 length and bytes.
    func encoded() -> [UInt8] {
        var buffer = ByteBuffer()
        buffer.append(work.rawValue)
        buffer.append(
            (options.recompresses ? OwnerRequest.recompresses : 0)
                | (options.extraDiskBytesMax == nil ? 0 : OwnerRequest.isBounded)
                | (scope.lower == nil ? 0 : OwnerRequest.hasLower)
                | (scope.upper == nil ? 0 : OwnerRequest.hasUpper))
        buffer.append(0 as UInt16)
        buffer.append(options.extraDiskBytesMax ?? 0)
        buffer.append(UInt32(purged.count))
        for namespace in purged { buffer.append(namespace.rawValue) }
        for key in [scope.lower, scope.upper] {
            guard let key else { continue }
            buffer.append(UInt32(key.count))
            buffer.append(key)
        }
        return OwnerRequest.file.wrap(buffer.bytes.array())
    }

    init(work: Work) { self.work = work }

    /// Parses the content of a request's file. Throws `.corruption` or `.newerFormat`.
    init(_ bytes: [UInt8], file: String) throws(StorageError) {
        let content = try OwnerRequest.file.unwrap(bytes, file: file)
        do throws(ParseFailure) {
            self = try unsafe content.span.bytes.withUnsafeBytes { (buffer) throws(ParseFailure) in
                var reader = ByteReader(unsafe Bytes(buffer))
                return try OwnerRequest(&reader)
            }
        } catch {
            throw .corruption("the request does not parse: \(error.reason)", file: file, offset: 0)
        }
    }

    private init(_ reader: inout ByteReader) throws(ParseFailure) {
        guard let work = Work(rawValue: try reader.u8("the work")) else { throw ParseFailure("the work is unknown") }
        self.work = work
        let flags = try reader.u8("the flags")
        guard flags < 16, try reader.u16("the flags") == 0 else { throw ParseFailure("a flag is unknown") }
        let bound = try reader.u64("the bound")
        options.recompresses = flags & OwnerRequest.recompresses != 0
        if flags & OwnerRequest.isBounded != 0 { options.extraDiskBytesMax = bound }
        let count = Int(try reader.u32("the number of namespaces"))
        guard count <= FormatLimits.liveNamespaces else { throw ParseFailure("there are too many namespaces") }
        for _ in 0..<count { purged.append(NamespaceID(rawValue: try reader.u32("a namespace"))) }
        let hasLower = flags & OwnerRequest.hasLower != 0
        let lower = hasLower ? try reader.string32(limit: OwnerRequest.keyBytesMax, "a key") : nil
        let hasUpper = flags & OwnerRequest.hasUpper != 0
        let upper = hasUpper ? try reader.string32(limit: OwnerRequest.keyBytesMax, "a key") : nil
        scope = CompactionScope(lower: lower, upper: upper)
        guard reader.isAtEnd else { throw ParseFailure("bytes follow its end") }
    }
}
