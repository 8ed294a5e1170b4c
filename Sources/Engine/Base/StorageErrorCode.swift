extension StorageError {
    /// What kind of error it is. A struct, so that codes can be added without breaking a `switch`.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// Bytes of a file are not what was written: the error names file and offset. Other data stays readable.
        public static let corruption = Code(rawValue: "corruption")
        /// The operating system refused an operation; `cause` is the ``IOFailure``.
        public static let ioFailure = Code(rawValue: "ioFailure")
        /// No space is left. Reads work, purge works, writes resume when space returns.
        public static let noSpace = Code(rawValue: "noSpace")
        /// It can't be known whether this write will be there after reopening. The engine is now poisoned.
        public static let indeterminate = Code(rawValue: "indeterminate")
        /// An earlier failure of the log or the manifest made writing unsafe. Reads go on; reopen to write again.
        public static let poisoned = Code(rawValue: "poisoned")
        /// Another opener holds the store, permissions hide it, or its keyring is locked: it exists and is not readable now.
        public static let locked = Code(rawValue: "locked")
        /// There is no store, or no keyring, where one was expected.
        public static let missing = Code(rawValue: "missing")
        /// A log that the store needs is not there, or shorter than recorded.
        public static let missingLog = Code(rawValue: "missingLog")
        /// A newer version of Shale wrote this store.
        public static let newerFormat = Code(rawValue: "newerFormat")
        /// An argument is outside its documented bounds; nothing was done.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
        /// The namespace was dropped, or never existed.
        public static let namespaceDropped = Code(rawValue: "namespaceDropped")
        /// A transaction read something that was changed before it committed; nothing was written.
        public static let conflict = Code(rawValue: "conflict")
        /// The write waited for background work longer than its deadline allows; nothing was written.
        public static let stalled = Code(rawValue: "stalled")
        /// The store was opened for reading only.
        public static let readOnly = Code(rawValue: "readOnly")
        /// The store was closed.
        public static let closed = Code(rawValue: "closed")
        /// The work was cancelled by its caller; what it had finished stays.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The stored value has another type than the one asked for.
        public static let typeMismatch = Code(rawValue: "typeMismatch")
        /// A value could not be encoded or decoded by its codec.
        public static let codecFailure = Code(rawValue: "codecFailure")
        /// A value is encrypted, or should be, and the store was opened without encryption or without the cipher that the
        /// value needs.
        public static let cipherMismatch = Code(rawValue: "cipherMismatch")
        /// The key is not the one that the store's values are encrypted with. Nothing was changed.
        public static let wrongKey = Code(rawValue: "wrongKey")
        /// The key could not be had: its file is missing or open to others, its variable is not set, whoever holds it
        /// refused.
        public static let missingKey = Code(rawValue: "missingKey")
        /// An encrypted value is not what was stored at its place: its bytes, its key, its namespace, its codec or its
        /// options were changed.
        public static let authenticationFailed = Code(rawValue: "authenticationFailed")
        /// Something outside this program that it needs is not there or does not answer: a library, a bus, a service.
        public static let unavailable = Code(rawValue: "unavailable")
        /// The current user's space was used while no user is signed in.
        public static let noCurrentUser = Code(rawValue: "noCurrentUser")
    }
}

extension StorageError.Code: CustomStringConvertible {
    /// Its name, as in the error's own description.
    public var description: String { rawValue }
}
