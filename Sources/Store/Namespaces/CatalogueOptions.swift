import ShaleBase

/// ``NamespaceOptions`` in the form stored in the catalogue.
///
/// On disk, do not change. Fields are tag u16 | length u32 | bytes, with ascending tags:
///
/// - 1 purgeable (u8, 0 or 1)
/// - 2 time to live (i64 milliseconds > 0)
/// - 3 scoped to a version of the application (UTF-8, may be empty)
/// - 4 encrypted (u8, 0 or 1)
/// - 5 a data key of an earlier version (``WrappedKey``; one field for each key)
/// - 6 an automatic purge policy (``StoredPolicy``)
/// - 7 a data key
/// - 8 the cipher of encrypted values (u8)
/// - 0x8009 the enforcement of the purge policy (u8 1: on writing)
/// - 0x800A the size from which values go to value files (u32, 0 for never)
///
/// Readers skip unknown tags with bit 15 set; any other unknown tag means a newer format. An empty record means the
/// standard options.
package struct CatalogueOptions: Equatable, Sendable {
    private static let purgeableTag: UInt16 = 1
    private static let lifetimeTag: UInt16 = 2
    private static let versionTag: UInt16 = 3
    private static let encryptedTag: UInt16 = 4
    private static let earlierKeyTag: UInt16 = 5
    private static let policyTag: UInt16 = 6
    private static let keyTag: UInt16 = 7
    private static let cipherTag: UInt16 = 8
    private static let enforcementTag: UInt16 = 0x8009
    private static let largeValueTag: UInt16 = 0x800A
    private static let skippableBit: UInt16 = 0x8000

    var defaults = NamespaceDefaults.standard
    /// The version of the application that the contents belong to; `nil` if they belong to all versions.
    var version: String?
    /// In ascending order of id. Not set by the user: they stay when the user replaces the options.
    var dataKeys: [WrappedKey] = []
    /// `nil` for ``PurgePolicy/manual``.
    var policy: StoredPolicy?
    /// The cipher of encrypted values; `nil` means the store's.
    var cipher: CipherID?
    /// The size from which values go to value files, 0 for never; `nil` means the store's.
    var largeValueBytes: Int?

    /// Converts a user's options. `version` is the application's current version. `now` is the start of a policy's time
    /// if the namespace had none.
    init(_ options: NamespaceOptions, version: String?, now: Int64) throws(StorageError) {
        try options.purgePolicy.check()
        defaults = try NamespaceDefaults(options)
        policy = options.purgePolicy.isAutomatic ? StoredPolicy(options.purgePolicy, since: now) : nil
        self.version = options.isVersionScoped ? version ?? "" : nil
        cipher = options.cipher
        guard cipher?.rawValue != 0 else { throw .invalid("a cipher's id is 0") }
        largeValueBytes = options.largeValueBytes
        guard CatalogueOptions.isLargeValueSize(largeValueBytes) else {
            throw .invalid("largeValueBytes is neither 0 nor in 64 ... \(FormatLimits.valueBytes)")
        }
    }

    private static func isLargeValueSize(_ bytes: Int?) -> Bool {
        bytes.map { $0 == 0 || 64...FormatLimits.valueBytes ~= $0 } ?? true
    }

    var options: NamespaceOptions {
        let lifetime = defaults.lifetimeMilliseconds
        return NamespaceOptions(
            isPurgeable: defaults.isPurgeable, timeToLive: lifetime == 0 ? nil : .milliseconds(lifetime),
            isVersionScoped: version != nil, isEncrypted: defaults.isEncrypted,
            purgePolicy: policy?.policy ?? .manual, cipher: cipher, largeValueBytes: largeValueBytes)
    }

    /// True if reads are recorded for ``PurgePolicy/Order/leastRecentlyUsedFirst``.
    var tracksUse: Bool { policy?.policy.order == .leastRecentlyUsedFirst }

    package var bytes: [UInt8] {
        var buffer = ByteBuffer()
        if defaults.isPurgeable {
            buffer.append(CatalogueOptions.purgeableTag)
            buffer.append(UInt32(1))
            buffer.append(UInt8(1))
        }
        if defaults.lifetimeMilliseconds > 0 {
            buffer.append(CatalogueOptions.lifetimeTag)
            buffer.append(UInt32(8))
            buffer.append(defaults.lifetimeMilliseconds)
        }
        if let version {
            buffer.append(CatalogueOptions.versionTag)
            buffer.append(UInt32(version.utf8.count))
            for byte in version.utf8 { buffer.append(byte) }
        }
        if defaults.isEncrypted {
            buffer.append(CatalogueOptions.encryptedTag)
            buffer.append(UInt32(1))
            buffer.append(UInt8(1))
        }
        encodeKeys(CatalogueOptions.earlierKeyTag, dataKeys.filter { !$0.isBound }, into: &buffer)
        if let policy {
            buffer.append(CatalogueOptions.policyTag)
            buffer.append(UInt32(StoredPolicy.byteCount))
            policy.encode(into: &buffer)
        }
        encodeKeys(CatalogueOptions.keyTag, dataKeys.filter(\.isBound), into: &buffer)
        if let cipher {
            buffer.append(CatalogueOptions.cipherTag)
            buffer.append(UInt32(1))
            buffer.append(cipher.rawValue)
        }
        if let enforcement = policy?.policy.enforcement, enforcement != .atIntervals {
            buffer.append(CatalogueOptions.enforcementTag)
            buffer.append(UInt32(1))
            buffer.append(enforcement.rawValue)
        }
        if let largeValueBytes {
            buffer.append(CatalogueOptions.largeValueTag)
            buffer.append(UInt32(4))
            buffer.append(UInt32(largeValueBytes))
        }
        return buffer.bytes.array()
    }

    private func encodeKeys(_ tag: UInt16, _ keys: [WrappedKey], into buffer: inout ByteBuffer) {
        for key in keys {
            buffer.append(tag)
            buffer.append(UInt32(key.byteCount))
            key.encode(into: &buffer)
        }
    }

    package init(bytes: [UInt8]) throws(StorageError) {
        let isKnown: Bool
        do throws(ParseFailure) {
            let span = unsafe bytes.span.bytes
            isKnown = try unsafe span.withUnsafeBytes { (buffer) throws(ParseFailure) in
                try parse(ByteReader(unsafe Bytes(buffer)))
            }
        } catch {
            throw .corruption("a namespace's options are not valid: \(error.reason)")
        }
        guard isKnown else {
            throw StorageError(.newerFormat, "a namespace has options that this version does not know")
        }
    }

    /// Returns false for options of a newer version.
    private mutating func parse(_ start: ByteReader) throws(ParseFailure) -> Bool {
        var reader = start
        var isPurgeable = false
        var isEncrypted = false
        var lifetime: Int64 = 0
        while !reader.isAtEnd {
            let tag = try reader.u16("a tag")
            var field = ByteReader(try reader.slice(Int(try reader.u32("a length")), "a field"))
            switch tag {
            case CatalogueOptions.purgeableTag: isPurgeable = try field.u8("the purgeable flag") == 1
            case CatalogueOptions.lifetimeTag: lifetime = try field.i64("the time to live")
            case CatalogueOptions.versionTag:
                let text = try field.slice(field.remaining, "the version").array()
                guard let text = String(validating: text, as: UTF8.self) else {
                    throw ParseFailure("the version is not UTF-8")
                }
                version = text
            case CatalogueOptions.encryptedTag: isEncrypted = try field.u8("the encrypted flag") == 1
            case CatalogueOptions.earlierKeyTag: dataKeys.append(try WrappedKey(&field, isBound: false))
            case CatalogueOptions.policyTag:
                policy = try StoredPolicy(&field)
                guard policy != nil else { return false }
            case CatalogueOptions.keyTag: dataKeys.append(try WrappedKey(&field, isBound: true))
            case CatalogueOptions.cipherTag: cipher = CipherID(rawValue: try field.u8("the cipher"))
            case CatalogueOptions.enforcementTag:
                let number = try field.u8("the policy's enforcement")
                // Like a reader that skips the field: a later version may know more enforcements.
                policy?.policy.enforcement = PurgePolicy.Enforcement(rawValue: number) ?? .atIntervals
            case CatalogueOptions.largeValueTag:
                largeValueBytes = Int(try field.u32("the size of large values"))
                guard CatalogueOptions.isLargeValueSize(largeValueBytes) else {
                    throw ParseFailure("the size of large values is out of range")
                }
            case CatalogueOptions.skippableBit...: continue
            default: return false
            }
            guard field.isAtEnd else { throw ParseFailure("a field is too long") }
        }
        guard 0...NamespaceDefaults.lifetimeMax ~= lifetime else {
            throw ParseFailure("the time to live is out of range")
        }
        guard cipher?.rawValue != 0 else { throw ParseFailure("the cipher has no id") }
        let areInOrder = zip(dataKeys, dataKeys.dropFirst()).allSatisfy { (one, next) in
            one.id < next.id && (next.isBound || !one.isBound)
        }
        guard areInOrder else { throw ParseFailure("data keys are out of order") }
        defaults = NamespaceDefaults(
            isPurgeable: isPurgeable, isEncrypted: isEncrypted, isTimed: policy != nil, lifetimeMilliseconds: lifetime)
        return true
    }
}
