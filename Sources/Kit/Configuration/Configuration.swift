import ShaleArchive

/// Values that an application is shipped with, from property lists (binary or XML) laid over each other: of each key the first file
/// that has it counts. Read once, when it is made; files that change later are seen by the next one.
///
/// ```swift
/// let configuration = try Configuration(named: "com.example.mail")
/// let server = try configuration.value(forKey: "server", as: String.self)
/// ```
/// Copies share what is known of failures. Thread-safe.
public struct Configuration: Sendable {
    /// The files that were there, the one that counts most first.
    public let files: [String]
    private let members: [String: StructuredValue]
    let failureLog = ConfigurationFailureLog()

    /// Reads these files, the one that counts most first. Missing ones are left out; if all are, there are no values.
    ///
    /// Errors: `.corruption` for a file that is no property list of names and values, `.ioFailure` and `.locked` for one that
    /// can't be read, `.invalidArgument` for one above 64 MiB. They name the file: none is taken for missing.
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

    /// Reads `<name>.plist` in each of `directories`: by default those for temporary files, caches, documents, and the bundle
    /// that the application came with. So what it came with can be overridden, for good or for a while.
    public init(
        named name: String, in directories: [String] = Configuration.standardDirectories
    ) throws(StorageError) {
        guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")) else {
            throw StorageError(.invalidArgument, "a configuration's name is not the name of a file")
        }
        try self.init(files: directories.map { "\($0)/\(name).plist" })
    }

    /// The value of a key; `nil` when no file has it.
    ///
    /// Errors, none of which turns into `nil`: `.typeMismatch` when it is of another type, `.codecFailure` when something inside
    /// it is.
    public func value<T: Decodable>(forKey key: String, as type: T.Type = T.self) throws(StorageError) -> T? {
        guard let value = members[key] else { return nil }
        return try value.decoded(as: T.self)
    }

    /// The keys that any file has, sorted.
    public var keys: [String] { members.keys.sorted() }
}
