import ShaleBase

/// A problem in a store's files, or a fact worth knowing.
public struct Finding: Sendable, Hashable {
    /// The kind of a finding. A struct, so that kinds can be added without breaking a `switch`.
    public struct Kind: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// Bytes that differ from what was written. Opening the store fails, or reading the data that depends on them.
        public static let damaged = Kind(rawValue: "damaged")
        /// A file that other files refer to does not exist.
        public static let missing = Kind(rawValue: "missing")
        /// A log ends inside a record that was never durable. A crash leaves such an end, and recovery drops it.
        public static let tornTail = Kind(rawValue: "tornTail")
        /// A file that no other file refers to.
        ///
        /// A crash leaves such a file, and the next opening removes it; or a running process is creating it.
        public static let unreferenced = Kind(rawValue: "unreferenced")
        /// The file was written by a later version of Shale.
        public static let newerFormat = Kind(rawValue: "newerFormat")
        /// The operating system refused to read the file.
        public static let unreadable = Kind(rawValue: "unreadable")
    }

    public let kind: Kind
    /// The file's path, relative to the store's directory.
    public let file: String
    public let offset: UInt64?
    public let message: String

    /// True if data is lost or can't be read. The remains of a crash are not damage.
    public var isDamage: Bool { kind != .tornTail && kind != .unreferenced }

    init(_ kind: Kind, _ file: String, _ message: String, offset: UInt64? = nil) {
        self.kind = kind
        self.file = file
        self.message = message
        self.offset = offset
    }

    /// Creates the finding for an error of reading `file`.
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
