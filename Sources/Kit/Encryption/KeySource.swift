#if Encryption
    /// Where a master key comes from, for most programs.
    public struct KeySource: KeyProvider {
        private let parameters: @Sendable () throws(StorageError) -> [UInt8]
        private let secret: @Sendable ([UInt8]) throws(StorageError) -> SecretKey

        init(
            parameters: @escaping @Sendable () throws(StorageError) -> [UInt8] = { [] },
            _ secret: @escaping @Sendable ([UInt8]) throws(StorageError) -> SecretKey
        ) {
            self.parameters = parameters
            self.secret = secret
        }

        public func makeParameters() throws(StorageError) -> [UInt8] { try parameters() }

        public func key(for parameters: [UInt8]) throws(StorageError) -> SecretKey { try secret(parameters) }

        /// A key that the program has.
        public static func key(_ key: SecretKey) -> KeySource { KeySource { _ in key } }

        /// Asks the closure whenever a key is needed: a keychain, a key server, a human. It throws `.missingKey` when
        /// there is none.
        public static func callback(
            _ body: @escaping @Sendable () throws(StorageError) -> SecretKey
        ) -> KeySource {
            KeySource { (_) throws(StorageError) in try body() }
        }

        /// An environment variable that holds the key as 64 hexadecimal digits. Other processes of the same user can read
        /// it, and children inherit it.
        public static func environment(_ name: String) -> KeySource {
            KeySource { (_) throws(StorageError) in
                guard var text = EnvironmentText.bytes(of: name) else {
                    throw StorageError(.missingKey, "the environment variable \(name) is not set")
                }
                defer { SecretKey.wipe(&text) }
                guard let key = try KeyText.key(from: text) else {
                    throw StorageError(
                        .missingKey, "the environment variable \(name) is not a key of 64 hexadecimal digits")
                }
                return key
            }
        }

        /// A file that holds the key: 32 bytes, or 64 hexadecimal digits and perhaps a line feed. It must be a regular file
        /// of this user, no symbolic link, and closed to everybody else (mode 0600 or 0400); anything else is
        /// `.missingKey`. ``makeKeyFile(at:)`` makes one.
        public static func file(_ path: String) -> KeySource {
            KeySource { (_) throws(StorageError) in try KeyFile.read(path) }
        }

        /// Writes a new random key to a new file, mode 0600, for ``file(_:)``; durable when it returns.
        ///
        /// Errors: `.invalidArgument` when something is there already, which stays as it is; `.missing` when the directory is; `.locked`
        /// without permission, `.noSpace`, `.ioFailure`.
        public static func makeKeyFile(at path: String) throws(StorageError) {
            try KeyFile.create(path, try SecretKey())
        }

        /// A passphrase, stretched by scrypt. Salt and costs are kept with the store. `costs` are those of new stores: each
        /// store keeps its own. An empty one is none: `.missingKey`.
        public static func passphrase(_ passphrase: String, costs: ScryptCosts = .standard) -> KeySource {
            KeySource { () throws(StorageError) in
                try ScryptParameters.make(costs).bytes
            } _: { (parameters) throws(StorageError) in
                guard !passphrase.isEmpty else { throw StorageError(.missingKey, "the passphrase is empty") }
                return try ScryptParameters(parameters).key(from: passphrase)
            }
        }
    }
#endif
