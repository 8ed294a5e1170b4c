/// What a namespace adds to the options of values that are set in it, and how long its contents last. Stored with the
/// namespace; what it says of values concerns later writes only.
public struct NamespaceOptions: Sendable, Hashable {
    /// Whether entries are purgeable unless they say otherwise. Default false.
    public var isPurgeable: Bool

    /// How long entries live unless they say otherwise; `nil` = for ever. Above zero, kept in milliseconds.
    public var timeToLive: Duration?

    /// Whether values are encrypted unless they say otherwise: see ``StoreEncryption``. Default false.
    public var isEncrypted: Bool

    /// The cipher of its encrypted values unless they name one (``ValueOptions/encrypted(with:)``); `nil` = the store's
    /// (``StoreEncryption/cipher``). Reading needs neither. Default `nil`.
    public var cipher: CipherID?

    /// Whether the namespace belongs to one version of the application: opening the store with another
    /// ``StoreOptions/appVersion`` than it was last opened with empties it. Default false.
    public var isVersionScoped: Bool

    /// Which of its purgeable entries go by themselves. Default ``PurgePolicy/manual``: none.
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

    /// Entries as durable as their options: what a namespace starts with.
    public static let standard = NamespaceOptions()
}
