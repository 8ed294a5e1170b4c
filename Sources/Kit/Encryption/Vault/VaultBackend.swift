#if Encryption
    package import ShaleBase

    /// A back end of a ``Vault``, which stores the secrets.
    ///
    /// ``Vault/init(at:keys:creating:)`` uses an encrypted store; others use the Secret Service on Linux and the
    /// Keychain on Apple platforms.
    ///
    /// Calls may come from any thread, block until they are done, and are atomic for all threads of the process. Errors
    /// never contain secrets or names.
    public protocol VaultBackend: AnyObject, Sendable {
        /// Returns the secret at an address; `nil` if there is none.
        func secret(at address: SecretAddress) throws(StorageError) -> [UInt8]?

        /// Stores a secret if there is none; if `replacing`, also replaces another secret. Durable on return.
        func store(
            _ secret: [UInt8], at address: SecretAddress, replacing: Bool
        ) throws(StorageError) -> SecretOutcome

        /// Removes a secret. Returns true if there was one. Durable on return.
        func removeSecret(at address: SecretAddress) throws(StorageError) -> Bool

        /// Returns the addresses directly at `path`, in bytewise order of their names.
        func addresses(at path: [EntryKey]) throws(StorageError) -> [SecretAddress]

        /// Removes all secrets at `path` and below it, except those at and below its child `kept`. Returns the number
        /// of removed secrets. If the call fails half way, some are removed. Durable on return.
        func removeSecrets(below path: [EntryKey], keeping kept: EntryKey?) throws(StorageError) -> Int

        /// Makes all earlier writes durable.
        func sync() throws(StorageError)

        /// Closes the back end.
        func close() throws(StorageError)
    }

    /// The address of a secret: a name below a path. Parts are any bytes, compared as bytes, and always stay separate.
    ///
    /// ```swift
    /// let address = SecretAddress(["com.example.mail", "accounts"], "ada")
    /// ```
    public struct SecretAddress: Hashable, Sendable {
        /// The path, from the top. Applications that share a vault begin it with their own name.
        public let path: [EntryKey]
        /// The name of the secret directly below the path.
        public let name: EntryKey

        /// Makes the address of a secret, without accessing it.
        public init(_ path: [EntryKey], _ name: EntryKey) {
            self.path = path
            self.name = name
        }
    }

    extension ByteBuffer {
        /// Appends a part of an address after its length (u32), so that two sequences of parts never give the same
        /// bytes.
        package mutating func append(part: EntryKey) {
            append(UInt32(part.bytes.count))
            append(part.bytes)
        }
    }

    /// Addresses as text, for back ends whose names are text. Stored there, do not change: letters, digits and `-._`
    /// stand for themselves, every other byte is `%` and two hexadecimal digits. A `/` precedes each part of a path.
    enum AddressText {
        private static let escaped = EscapedText(
            mark: "%", plain: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._")

        static func text(_ part: EntryKey) -> String { escaped.text(part.bytes) }

        static func text(_ path: some Sequence<EntryKey>) -> String { path.map { "/" + text($0) }.joined() }

        /// Returns `nil` for text that ``text(_:)`` does not produce; it is then not ours.
        static func part(_ text: some StringProtocol) -> EntryKey? { escaped.bytes(text).map { EntryKey($0) } }

        /// Returns `nil` for text that ``text(_:)`` does not produce.
        static func path(_ text: String) -> [EntryKey]? {
            var path: [EntryKey] = []
            guard !text.isEmpty else { return path }
            guard text.first == "/" else { return nil }
            for part in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
                guard let part = self.part(part) else { return nil }
                path.append(part)
            }
            return path
        }
    }
#endif
