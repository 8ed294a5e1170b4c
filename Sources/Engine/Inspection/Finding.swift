import ShaleBase

/// Something in a store's files that is not as it should be, or worth knowing.
public struct Finding: Sendable, Hashable {
    /// What kind it is. A struct, so that kinds can be added without breaking a `switch`.
    public struct Kind: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// Bytes that are not what was written: opening the store, or reading what needs them, fails.
        public static let damaged = Kind(rawValue: "damaged")
        /// A file that others refer to is not there.
        public static let missing = Kind(rawValue: "missing")
        /// A log ends in the middle of a record that never was durable: what a crash leaves, and recovery drops.
        public static let tornTail = Kind(rawValue: "tornTail")
        /// A file that nothing refers to: what a crash leaves, and the next opening removes; or one that a process at work is
        /// making right now.
        public static let unreferenced = Kind(rawValue: "unreferenced")
        /// Written by a later version of Shale.
        public static let newerFormat = Kind(rawValue: "newerFormat")
        /// The operating system refused to read it.
        public static let unreadable = Kind(rawValue: "unreadable")
    }

    public let kind: Kind
    /// Relative to the store's directory.
    public let file: String
    public let offset: UInt64?
    public let message: String

    /// Whether data is lost, or can't be read: everything but what a crash leaves.
    public var isDamage: Bool { kind != .tornTail && kind != .unreferenced }

    init(_ kind: Kind, _ file: String, _ message: String, offset: UInt64? = nil) {
        self.kind = kind
        self.file = file
        self.message = message
        self.offset = offset
    }

    /// What reading `file` failed with.
    init(_ error: StorageError, in file: String) {
        kind =
            switch error.code {
            case .newerFormat: .newerFormat
            case .missing: .missing
            case .corruption, .missingLog: .damaged
            default: .unreadable
            }
        self.file = file
        message = error.message
        offset = error.offset
    }
}
