import ShaleBase

/// The position of a launch in the history of an application. See `Store.recordLaunch(version:in:)`.
public struct LaunchRecord: Sendable, Hashable {
    /// The number of launches so far, including this one.
    public let count: Int
    /// The number of launches of this version so far, including this one.
    public let countOfVersion: Int
    /// The version of the previous launch; `nil` at the first launch.
    public let previousVersion: String?

    /// True if this is the first launch in this store.
    public var isFirst: Bool { count == 1 }

    /// True if this is the first launch of this version in this store.
    public var isFirstOfVersion: Bool { countOfVersion == 1 }
}

extension Store {
    /// Counts a launch of the application and returns its record. Call it once, when the program starts.
    ///
    /// The count is one durable step: a crash before the call returns leaves the launch uncounted, and the next launch
    /// gets its number. The counts are in `namespace`, by default `launches` of the common space, which should have no
    /// other use. Throws the errors of a transaction.
    public func recordLaunch(
        version: String, in namespace: Store.Namespace? = nil
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
