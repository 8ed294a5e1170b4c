public import Foundation
import ShalePlatform

/// Values that an application is shipped with, from layered property lists (binary or XML).
///
/// The value of a key comes from the first file that has it. The files are read once; a later change of a file is seen
/// by configurations made after it.
///
/// ```swift
/// let configuration = try ShippedConfiguration(named: "com.example.mail")
/// let server = try configuration.value(forKey: "server", as: String.self)
/// ```
/// Copies share one log of failures. Thread-safe.
public struct ShippedConfiguration: Sendable {
    /// The files that existed, in order of precedence.
    public let files: [String]
    private let members: [String: StructuredValue]
    let failureLog = ConfigurationFailureLog()

    /// Reads these files, given in order of precedence. Missing files are left out; if all are missing, there are no
    /// values.
    ///
    /// - Throws: `.corruption` for a file that is no property list of names and values; `.ioFailure` and `.locked` for
    ///   a file that can't be read; `.invalidArgument` for a file above 64 MiB. The errors name the file; a file with
    ///   an error never counts as missing.
    public init(files: [String]) throws(StorageError) {
        var found: [String] = []
        var members: [String: StructuredValue] = [:]
        for file in files {
            let layer: [String: StructuredValue]
            do throws(StorageError) {
                layer = try PropertyListFile.members(of: file)
            } catch {
                guard error.code == .missing else { throw error }
                continue
            }
            found.append(file)
            members.merge(layer) { above, _ in above }
        }
        self.files = found
        self.members = members
    }

    /// Reads `<name>.plist` in each of `directories`.
    ///
    /// The default directories are those for temporary files, caches and documents, and the bundle that the application
    /// came with. Files in the first three override the values of the bundle.
    public init(
        named name: String, in directories: [String] = ShippedConfiguration.standardDirectories
    ) throws(StorageError) {
        guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")) else {
            throw StorageError(.invalidArgument, "a configuration's name is not a valid file name")
        }
        try self.init(files: directories.map { "\($0)/\(name).plist" })
    }

    /// Returns the value of a key; `nil` if no file has it.
    ///
    /// - Throws: `.typeMismatch` if it has another type; `.codecFailure` if something inside it has. Neither turns into
    ///   `nil`.
    public func value<T: Decodable>(forKey key: String, as type: T.Type = T.self) throws(StorageError) -> T? {
        guard let value = members[key] else { return nil }
        return try value.decoded(as: T.self)
    }

    /// The keys of all files, sorted.
    public var keys: [String] { members.keys.sorted() }
}

extension ShippedConfiguration {
    /// The directories that are searched for a named configuration: temporary files, caches, documents, the main
    /// bundle.
    public static var standardDirectories: [String] {
        let files = FileManager.default
        let users = [FileManager.SearchPathDirectory.cachesDirectory, .documentDirectory].compactMap {
            files.urls(for: $0, in: .userDomainMask).first?.path
        }
        return [files.temporaryDirectory.path] + users + [directory(of: .main)]
    }

    /// Returns the directory of a bundle's files.
    public static func directory(of bundle: Bundle) -> String { bundle.resourcePath ?? bundle.bundlePath }
}

/// A value that a property could not return. See ``ShippedConfiguration/failures``.
public struct ConfigurationFailure: Sendable {
    /// The key that the property requested.
    public let key: String
    /// The error that makes the property read as if no file had the key.
    public let error: StorageError
}

extension ShippedConfiguration {
    /// The keys that properties requested and whose values have another type, each once, in the order of the first
    /// request.
    public var failures: [ConfigurationFailure] { failureLog.failures }
}

/// Collects failures. Thread-safe.
final class ConfigurationFailureLog: Sendable {
    private let log = Locked<[ConfigurationFailure]>([])

    var failures: [ConfigurationFailure] { log.withLock { $0 } }

    func record(_ key: String, _ error: StorageError) {
        log.withLock { log in
            guard !log.contains(where: { $0.key == key }) else { return }
            log.append(ConfigurationFailure(key: key, error: error))
        }
    }
}
