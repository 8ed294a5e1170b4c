import ShalePlatform

/// A value that a property could not give: see ``Configuration/failures``.
public struct ConfigurationFailure: Sendable {
    /// What the property asked for.
    public let key: String
    /// Why it reads as if no file had it.
    public let error: StorageError
}

extension Configuration {
    /// The keys that properties asked for and that are of another type, each once, in the order in which they were asked for.
    public var failures: [ConfigurationFailure] { failureLog.failures }
}

/// Thread-safe.
final class ConfigurationFailureLog: Sendable {
    private let log = Guarded<[ConfigurationFailure]>([])

    var failures: [ConfigurationFailure] { log.withLock { $0 } }

    func record(_ key: String, _ error: StorageError) {
        log.withLock { log in
            guard !log.contains(where: { $0.key == key }) else { return }
            log.append(ConfigurationFailure(key: key, error: error))
        }
    }
}
