/// How a store is opened.
public struct StoreOptions: Sendable {
    /// How its engine is opened: creation, durability, memory, compression, time.
    public var engine: EngineOptions

    /// The format of `Codable` values that are set without one. Default JSON.
    public var codableFormat: CodableFormat

    /// The version of the application. Namespaces that are scoped to a version
    /// (``NamespaceOptions/isVersionScoped``) and were last opened with another one are empty when opening returns; `nil`,
    /// the default, and opening for reading only leave them as they are. Compared as text, byte by byte; at most 255
    /// bytes.
    public var appVersion: String?

    /// How values are encrypted; `nil`, the default, serves what is not encrypted only. With a key that is not the
    /// store's, opening throws `.wrongKey` and changes nothing. Openings of a store that is open in this process already have
    /// to have the same key.
    public var encryption: StoreEncryption?

    /// Formats of the application's own. Their ids are checked when the store is opened.
    public var codecs: [any CustomCodec]

    /// How often ``PurgePolicy``s and the limits of ``PurgeablePath``s are applied in the background; `nil` = only when asked
    /// for. Default five minutes. Nothing runs in a store that has neither.
    public var purgeInterval: Duration?

    public init(
        engine: EngineOptions = .init(), codableFormat: CodableFormat = .json, appVersion: String? = nil,
        encryption: StoreEncryption? = nil, codecs: [any CustomCodec] = [],
        purgeInterval: Duration? = .minutes(5)
    ) {
        self.purgeInterval = purgeInterval
        self.engine = engine
        self.encryption = encryption
        self.codecs = codecs
        self.appVersion = appVersion
        self.codableFormat = codableFormat
    }
}

extension StoreOptions {
    /// The names of the options in which `other` differs: one open engine can't have both. What says how to open a
    /// store, and where time comes from, is not compared: the store is open, and its clock runs.
    func differences(from other: StoreOptions) -> [String] {
        func compare<T: Equatable>(_ name: String, _ path: KeyPath<EngineOptions, T>) -> String? {
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
            compare("trainsDictionaries", \.trainsDictionaries), compare("statisticsInterval", \.statisticsInterval),
        ]
        let names = engineNames.compactMap { $0 } + (codableFormat == other.codableFormat ? [] : ["codableFormat"])
        func codecNames(_ options: StoreOptions) -> [String] {
            options.codecs.map { "\($0.id) \(type(of: $0))" }.sorted()
        }
        return names + (appVersion == other.appVersion ? [] : ["appVersion"])
            + (purgeInterval == other.purgeInterval ? [] : ["purgeInterval"])
            + (encryption?.cipher.id == other.encryption?.cipher.id ? [] : ["encryption"])
            + (codecNames(self) == codecNames(other) ? [] : ["codecs"])
    }
}
