import ShaleBase

/// ``NamespaceOptions`` as writers use them, in one word: bit 0 purgeable, the bits above it the time to live in
/// milliseconds, 0 for none. And as the bytes that the catalogue keeps. On disk, do not change:
/// fields tag u16 | length u32 | bytes, tags ascending: 1 purgeable (u8, 0 or 1), 2 time to live (i64 milliseconds > 0).
/// Unknown tags with bit 15 set are skipped, others are a newer format. No bytes are the standard options.
struct NamespaceDefaults: Equatable, Sendable {
    /// Fits beside the flag; longer than any clock.
    private static let lifetimeMax = Int64.max >> 1

    let word: UInt64

    static let standard = NamespaceDefaults(word: 0)

    init(word: UInt64) { self.word = word }

    init(isPurgeable: Bool, lifetimeMilliseconds: Int64) {
        word = UInt64(lifetimeMilliseconds) << 1 | (isPurgeable ? 1 : 0)
    }

    init(_ options: NamespaceOptions) throws(StorageError) {
        let milliseconds = options.timeToLive?.wholeMilliseconds ?? 0
        guard options.timeToLive == nil || milliseconds > 0 else { throw .invalid("a time to live is not positive") }
        self.init(
            isPurgeable: options.isPurgeable,
            lifetimeMilliseconds: min(milliseconds, NamespaceDefaults.lifetimeMax))
    }

    @inline(__always)
    var isPurgeable: Bool { word & 1 != 0 }

    /// 0 = for ever.
    @inline(__always)
    var lifetimeMilliseconds: Int64 { Int64(word >> 1) }

    var options: NamespaceOptions {
        NamespaceOptions(
            isPurgeable: isPurgeable,
            timeToLive: lifetimeMilliseconds == 0 ? nil : .milliseconds(lifetimeMilliseconds))
    }

    // MARK: Bytes

    private static let purgeableTag: UInt16 = 1
    private static let lifetimeTag: UInt16 = 2
    private static let skippableBit: UInt16 = 0x8000

    var bytes: [UInt8] {
        var buffer = ByteBuffer()
        if isPurgeable {
            buffer.append(NamespaceDefaults.purgeableTag)
            buffer.append(UInt32(1))
            buffer.append(UInt8(1))
        }
        if lifetimeMilliseconds > 0 {
            buffer.append(NamespaceDefaults.lifetimeTag)
            buffer.append(UInt32(8))
            buffer.append(lifetimeMilliseconds)
        }
        return buffer.bytes.array()
    }

    init(bytes: [UInt8]) throws(StorageError) {
        let parsed: NamespaceDefaults?
        do throws(ParseFailure) {
            let span = unsafe bytes.span.bytes
            parsed = try unsafe span.withUnsafeBytes { (buffer) throws(ParseFailure) in
                try NamespaceDefaults.parse(ByteReader(unsafe Bytes(buffer)))
            }
        } catch {
            throw .corruption("a namespace's options are not valid: \(error.reason)")
        }
        guard let parsed else {
            throw StorageError(.newerFormat, "a namespace has options that this version does not know")
        }
        self = parsed
    }

    /// `nil` for options of a newer version.
    private static func parse(_ start: ByteReader) throws(ParseFailure) -> NamespaceDefaults? {
        var reader = start
        var isPurgeable = false
        var lifetime: Int64 = 0
        while !reader.isAtEnd {
            let tag = try reader.u16("a tag")
            var field = ByteReader(try reader.slice(Int(try reader.u32("a length")), "a field"))
            switch tag {
            case purgeableTag: isPurgeable = try field.u8("the purgeable flag") == 1
            case lifetimeTag: lifetime = try field.i64("the time to live")
            case skippableBit...: continue
            default: return nil
            }
            guard field.isAtEnd else { throw ParseFailure("a field is too long") }
        }
        guard 0...lifetimeMax ~= lifetime else { throw ParseFailure("the time to live is out of range") }
        return NamespaceDefaults(isPurgeable: isPurgeable, lifetimeMilliseconds: lifetime)
    }
}
