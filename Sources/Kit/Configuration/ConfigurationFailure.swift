import ShalePlatform

/// A value that a property could not return. See ``Configuration/failures``.
public struct ConfigurationFailure: Sendable {
    /// The key that the property requested.
    public let key: String
    /// The error that makes the property read as if no file had the key.
    public let error: StorageError
}

extension Configuration {
    /// The keys that properties requested and whose values have another type, each once, in the order of the first
    /// request.
    public var failures: [ConfigurationFailure] { failureLog.failures }
}

/// Collects failures. Thread-safe.
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
