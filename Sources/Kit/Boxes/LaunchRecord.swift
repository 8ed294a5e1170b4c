import ShaleBase

/// Which launch of an application this is: see `Store.recordLaunch(version:in:)`.
public struct LaunchRecord: Sendable, Hashable {
    /// Launches so far, this one included.
    public let count: Int
    /// Launches of this version so far, this one included.
    public let countOfVersion: Int
    /// The version that was launched before; `nil` at the first launch.
    public let previousVersion: String?

    /// Nothing was ever launched in this store before.
    public var isFirst: Bool { count == 1 }

    /// This version was never launched in this store before.
    public var isFirstOfVersion: Bool { countOfVersion == 1 }
}

extension Store {
    /// Counts a launch of the application and says which it is. Call it once, when the program starts.
    ///
    /// All in one durable step: a crash before it returns leaves the launch uncounted, and the next one is what this would
    /// have been; once it has returned, it is counted for good. Kept in `namespace`, by default `launches` of the common space,
    /// which should be used for nothing else. Errors: those of a transaction.
    public func recordLaunch(
        version: String, in namespace: Namespace? = nil
    ) throws(StorageError) -> LaunchRecord {
        let namespace = namespace ?? common["launches"]
        let durability: Durability = PlantedBug.isActive(.bufferLaunches) ? .buffered : .synced
        return try transaction(attempts: .max, durability: durability) { (transaction) throws(StorageError) in
            let versionKey = "version/" + version
            let count = try transaction.value(forKey: "count", in: namespace, as: Int.self) ?? 0
            let countOfVersion = try transaction.value(forKey: versionKey, in: namespace, as: Int.self) ?? 0
            let record = LaunchRecord(
                count: count + 1, countOfVersion: countOfVersion + 1,
                previousVersion: try transaction.value(forKey: "last", in: namespace, as: String.self))
            try transaction.set(record.count, forKey: "count", in: namespace)
            try transaction.set(record.countOfVersion, forKey: versionKey, in: namespace)
            try transaction.set(version, forKey: "last", in: namespace)
            return record
        }
    }
}
