extension Store {
    /// The options for opening a store.
    public struct Options: Sendable {
        /// The options of its engine: creation, durability, memory, compression, time.
        public var engine: Engine.Options

        /// The format of `Codable` values that are set without naming one. Default JSON.
        public var codableFormat: CodableFormat

        /// The version of the application; `nil`, the default, leaves all namespaces as they are.
        ///
        /// Opening empties the namespaces that are scoped to a version (``NamespaceOptions/isVersionScoped``) and
        /// belong to another version. A read-only opening leaves them as they are. Versions are compared byte by byte
        /// and have at most 255 bytes.
        public var appVersion: String?

        /// The encryption of values; `nil`, the default, gives access to unencrypted values only.
        ///
        /// With a key that is not the store's, opening throws `.wrongKey` and changes nothing. All openings of a store
        /// in one process need the same key.
        public var encryption: StoreEncryption?

        /// The application's own formats. Opening checks their ids.
        public var codecs: [any CustomCodec]

        /// The interval at which ``PurgePolicy``s and the limits of ``PurgeablePath``s are applied in the background;
        /// `nil` means never.
        ///
        /// Default 5 min. A store that has neither runs no thread for it.
        public var purgeInterval: Duration?

        public init(
            engine: Engine.Options = .init(), codableFormat: CodableFormat = .json, appVersion: String? = nil,
            encryption: StoreEncryption? = nil, codecs: [any CustomCodec] = [],
            purgeInterval: Duration? = .seconds(300)
        ) {
            self.purgeInterval = purgeInterval
            self.engine = engine
            self.encryption = encryption
            self.codecs = codecs
            self.appVersion = appVersion
            self.codableFormat = codableFormat
        }
    }
}

extension Store.Options {
    /// Returns the names of the options in which `other` differs: one open engine can't have both. Options that only
    /// matter while opening, and the source of time, are not compared.
    func differences(from other: Store.Options) -> [String] {
        func compare<T: Equatable>(_ name: String, _ path: KeyPath<Engine.Options, T>) -> String? {
            engine[keyPath: path] == other.engine[keyPath: path] ? nil : name
        }
        let engineNames = [
            compare("durability", \.durability), compare("syncInterval", \.syncInterval),
            compare("memoryBudget", \.memoryBudget), compare("memtableBytes", \.memtableBytes),
            compare("immutableMemtables", \.immutableMemtables), compare("blockBytes", \.blockBytes),
            compare("segmentBytes", \.segmentBytes), compare("upperSegmentBytes", \.upperSegmentBytes),
            compare("upperCompression", \.upperCompression), compare("lastCompression", \.lastCompression),
            compare("filterBitsPerKey", \.filterBitsPerKey), compare("l0CompactionTrigger", \.l0CompactionTrigger),
            compare("l0SlowdownTrigger", \.l0SlowdownTrigger), compare("l0StopTrigger", \.l0StopTrigger),
            compare("baseLevelBytes", \.baseLevelBytes), compare("fanOut", \.fanOut),
            compare("compactionThreads", \.compactionThreads), compare("openFileLimit", \.openFileLimit),
            compare("stallDeadline", \.stallDeadline), compare("mapsLogs", \.mapsLogs),
            compare("trainsDictionaries", \.trainsDictionaries), compare("splitsBlocks", \.splitsBlocks),
            compare("largeValueBytes", \.largeValueBytes), compare("valueSpaceBound", \.valueSpaceBound),
            compare("valueFileBytes", \.valueFileBytes),
            compare("mapsSegments", \.mapsSegments),
            compare("statisticsInterval", \.statisticsInterval),
        ]
        let names = engineNames.compactMap { $0 } + (codableFormat == other.codableFormat ? [] : ["codableFormat"])
        func codecNames(_ options: Store.Options) -> [String] {
            options.codecs.map { "\($0.id) \(type(of: $0))" }.sorted()
        }
        return names + (appVersion == other.appVersion ? [] : ["appVersion"])
            + (purgeInterval == other.purgeInterval ? [] : ["purgeInterval"])
            + (encryption?.cipher.id == other.encryption?.cipher.id ? [] : ["encryption"])
            + (codecNames(self) == codecNames(other) ? [] : ["codecs"])
    }
}
