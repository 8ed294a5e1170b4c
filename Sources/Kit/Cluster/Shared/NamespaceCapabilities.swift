/// The capabilities in which back ends of ``AsyncNamespace`` differ. A call that needs a missing one throws
/// `.unsupported`; nothing is emulated.
public struct NamespaceCapabilities: OptionSet, Sendable, Hashable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A batch may have keys of several partitions.
    public static let batchesAcrossPartitions = NamespaceCapabilities(rawValue: 1)
    /// A scan sees one moment. Without it, each page of a scan has a moment of its own.
    public static let scansOfOneMoment = NamespaceCapabilities(rawValue: 2)
    /// A purge and a truncation happen at one moment. Without it, they happen at one moment in each shard.
    public static let purgesOfOneMoment = NamespaceCapabilities(rawValue: 4)
    /// Values may be encrypted.
    public static let encryption = NamespaceCapabilities(rawValue: 8)
}
