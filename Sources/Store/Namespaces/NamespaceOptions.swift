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
    /// Opening the store with another ``StoreOptions/appVersion`` than the last time then empties the namespace.
    /// Default false.
    public var isVersionScoped: Bool

    /// The rule by which purgeable entries are removed automatically. Default ``PurgePolicy/manual``: none are.
    public var purgePolicy: PurgePolicy

    public init(
        isPurgeable: Bool = false, timeToLive: Duration? = nil, isVersionScoped: Bool = false,
        isEncrypted: Bool = false, purgePolicy: PurgePolicy = .manual, cipher: CipherID? = nil
    ) {
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
