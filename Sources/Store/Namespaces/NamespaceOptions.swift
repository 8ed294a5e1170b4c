import ShaleBase

/// The defaults of a namespace for values that are set in it, and rules for removing its contents.
///
/// They are stored with the namespace. A change of the defaults affects later writes only.
public struct NamespaceOptions: Sendable, Hashable {
    /// True if entries are purgeable unless their options say otherwise. Default false.
    public var isPurgeable: Bool

    /// The time until entries expire, unless their options say otherwise; `nil` means never. Must be positive; stored
    /// in milliseconds.
    public var timeToLive: Duration?

    /// True if values are encrypted unless their options say otherwise. See ``StoreEncryption``. Default false.
    public var isEncrypted: Bool

    /// The cipher of encrypted values whose options name none (``ValueOptions/encrypted(with:)``); `nil` means
    /// ``StoreEncryption/cipher``.
    ///
    /// Reading does not use it. Default `nil`.
    public var cipher: CipherID?

    /// True if the contents belong to one version of the application.
    ///
    /// Opening the store with another ``Store/Options/appVersion`` than the last time then empties the namespace.
    /// Default false.
    public var isVersionScoped: Bool

    /// The rule by which purgeable entries are removed automatically. Default ``PurgePolicy/manual``: none are.
    public var purgePolicy: PurgePolicy

    /// The number of bytes from which a value goes to a value file, as `Engine.Options.largeValueBytes` says it for all
    /// namespaces: 64 … 32 MiB, 0 for never, or `nil` for that option of the store. Default `nil`.
    ///
    /// It counts the bytes that are stored: with the header, and encrypted. A namespace of pictures can have it without
    /// a setting of the store.
    public var largeValueBytes: Int?

    public init(
        isPurgeable: Bool = false, timeToLive: Duration? = nil, isVersionScoped: Bool = false,
        isEncrypted: Bool = false, purgePolicy: PurgePolicy = .manual, cipher: CipherID? = nil,
        largeValueBytes: Int? = nil
    ) {
        self.largeValueBytes = largeValueBytes
        self.cipher = cipher
        self.purgePolicy = purgePolicy
        self.isEncrypted = isEncrypted
        self.isVersionScoped = isVersionScoped
        self.isPurgeable = isPurgeable
        self.timeToLive = timeToLive
    }

    /// The options of a new namespace: its entries don't expire and are neither purgeable nor encrypted.
    public static let standard = NamespaceOptions()
}

/// The defaults of ``NamespaceOptions`` for writes, packed into one word. Bit 0: purgeable. Bit 1: encrypted. Bit 2:
/// values hold their time of writing. Bits 3 and up: the time to live in milliseconds, 0 for none.
struct NamespaceDefaults: Equatable, Sendable {
    /// The maximum time to live: it fits beside the flags and exceeds the range of any clock.
    static let lifetimeMax = Int64.max >> 2

    let word: UInt64

    static let standard = NamespaceDefaults(word: 0)

    init(word: UInt64) { self.word = word }

    init(isPurgeable: Bool, isEncrypted: Bool, isTimed: Bool, lifetimeMilliseconds: Int64) {
        word =
            UInt64(lifetimeMilliseconds) << 3 | (isTimed ? 4 : 0) | (isEncrypted ? 2 : 0) | (isPurgeable ? 1 : 0)
    }

    init(_ options: NamespaceOptions) throws(StorageError) {
        let milliseconds = options.timeToLive?.wholeMilliseconds ?? 0
        guard options.timeToLive == nil || milliseconds > 0 else {
            throw .invalid("a time to live must be at least 1 ms")
        }
        self.init(
            isPurgeable: options.isPurgeable, isEncrypted: options.isEncrypted,
            isTimed: options.purgePolicy.isAutomatic,
            lifetimeMilliseconds: min(milliseconds, NamespaceDefaults.lifetimeMax))
    }

    @inline(__always)
    var isPurgeable: Bool { word & 1 != 0 }

    @inline(__always)
    var isEncrypted: Bool { word & 2 != 0 }

    @inline(__always)
    var isTimed: Bool { word & 4 != 0 }

    /// 0 means no expiry.
    @inline(__always)
    var lifetimeMilliseconds: Int64 { Int64(word >> 3) }
}
