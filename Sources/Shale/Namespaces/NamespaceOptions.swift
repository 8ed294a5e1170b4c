/// What a namespace adds to the options of values that are set in it. Stored with the namespace; changing it concerns
/// later writes only.
public struct NamespaceOptions: Sendable, Hashable {
    /// Whether entries are purgeable unless they say otherwise. Default false.
    public var isPurgeable: Bool

    /// How long entries live unless they say otherwise; `nil` = for ever. Above zero, kept in milliseconds.
    public var timeToLive: Duration?

    public init(isPurgeable: Bool = false, timeToLive: Duration? = nil) {
        self.isPurgeable = isPurgeable
        self.timeToLive = timeToLive
    }

    /// Entries as durable as their options: what a namespace starts with.
    public static let standard = NamespaceOptions()
}
