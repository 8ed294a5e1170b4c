#if Logging || Metrics || Tracing || ServiceLifecycle
    /// The name of an operation of a store in metrics and spans.
    ///
    /// ```swift
    /// extension StoreOperation {
    ///     static let nightlyExport = StoreOperation(rawValue: "nightly_export")
    /// }
    /// ```
    /// Each name makes time series of its own, so names are constants and never contain keys.
    public struct StoreOperation: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// Opening, with its recovery.
        public static let open = StoreOperation(rawValue: "open")
        public static let close = StoreOperation(rawValue: "close")
        public static let sync = StoreOperation(rawValue: "sync")
        /// A batch or a single write with a synced commit.
        public static let write = StoreOperation(rawValue: "write")
        /// A transaction, with all its attempts.
        public static let transaction = StoreOperation(rawValue: "transaction")
        public static let flush = StoreOperation(rawValue: "flush")
        public static let compact = StoreOperation(rawValue: "compact")
        public static let purge = StoreOperation(rawValue: "purge")
        public static let checkpoint = StoreOperation(rawValue: "checkpoint")
        public static let backup = StoreOperation(rawValue: "backup")
        public static let verify = StoreOperation(rawValue: "verify")
    }
#endif
