#if Encryption
    import ShaleBase
    import ShalePlatform

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// The usual sources of a master key.
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

        /// Uses a key that the program has.
        public static func key(_ key: SecretKey) -> KeySource { KeySource { _ in key } }

        /// Calls the closure whenever a key is needed, for example to ask a keychain, a key server or a user.
        ///
        /// The closure throws `.missingKey` if there is no key.
        public static func callback(
            _ body: @escaping @Sendable () throws(StorageError) -> SecretKey
        ) -> KeySource {
            KeySource { (_) throws(StorageError) in try body() }
        }

        /// Reads an environment variable that holds the key as 64 hexadecimal digits.
        ///
        /// Other processes of the same user can read it, and child processes inherit it.
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

        /// Reads a file that holds the key: 32 bytes, or 64 hexadecimal digits with an optional line feed.
        /// ``makeKeyFile(at:)`` makes one.
        ///
        /// It must be a regular file of this user, not a symbolic link, and closed to all other users (mode 0600 or
        /// 0400). Otherwise `.missingKey` is thrown.
        public static func file(_ path: String) -> KeySource {
            KeySource { (_) throws(StorageError) in try KeyFile.read(path) }
        }

        /// Writes a new random key to a new file for ``file(_:)``, durably and with mode 0600.
        ///
        /// - Throws: `.invalidArgument` if the path exists, which stays unchanged; `.missing` if the directory is
        ///   missing; `.locked` if permission is missing; `.noSpace`; `.ioFailure`.
        public static func makeKeyFile(at path: String) throws(StorageError) {
            try KeyFile.create(path, try SecretKey())
        }

        /// Derives the key from a passphrase with scrypt.
        ///
        /// Salt and costs are stored with the store; `costs` apply to new stores only. The empty passphrase throws
        /// `.missingKey`.
        public static func passphrase(_ passphrase: String, costs: ScryptCosts = .standard) -> KeySource {
            KeySource { () throws(StorageError) in
                try ScryptParameters.make(costs).bytes
            } _: { (parameters) throws(StorageError) in
                guard !passphrase.isEmpty else { throw StorageError(.missingKey, "the passphrase is empty") }
                return try ScryptParameters(parameters).key(from: passphrase)
            }
        }
    }

    private enum EnvironmentText {
        /// Returns the bytes of a variable; `nil` if it is not set.
        static func bytes(of name: String) -> [UInt8]? {
            guard let text = unsafe getenv(name) else { return nil }
            return unsafe [UInt8](UnsafeRawBufferPointer(start: text, count: strlen(text)))
        }
    }

    /// Parses keys as text: 64 hexadecimal digits.
    private enum KeyText {
        /// Returns `nil` for any other text.
        static func key(from text: [UInt8]) throws(StorageError) -> SecretKey? {
            guard text.count == 2 * SecretKey.byteCount else { return nil }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(SecretKey.byteCount)
            for index in stride(from: 0, to: text.count, by: 2) {
                guard let high = digit(text[index]), let low = digit(text[index + 1]) else {
                    SecretKey.wipe(&bytes)
                    return nil
                }
                bytes.append(high << 4 | low)
            }
            return try SecretKey(wiping: &bytes)
        }

        private static func digit(_ character: UInt8) -> UInt8? {
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
            default: nil
            }
        }
    }

    /// Reads and creates files that hold a master key.
    private enum KeyFile {
        /// The hexadecimal digits, a line feed, and one more byte to detect that the file is longer.
        private static let readBytes = 2 * SecretKey.byteCount + 2

        static func read(_ path: String) throws(StorageError) -> SecretKey {
            var bytes: [UInt8]
            do throws(IOFailure) {
                bytes = try PrivateFile.read(path, limit: readBytes)
            } catch {
                throw StorageError(.missingKey, reason(error), file: path, cause: error)
            }
            defer { SecretKey.wipe(&bytes) }
            if bytes.count == SecretKey.byteCount { return try SecretKey(wiping: &bytes) }
            if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
            guard let key = try KeyText.key(from: bytes) else {
                throw StorageError(
                    .missingKey, "the key file holds neither 32 bytes nor 64 hexadecimal digits", file: path)
            }
            return key
        }

        /// Returns a message that tells the owner how to fix the problem.
        private static func reason(_ failure: IOFailure) -> String {
            if failure.isMissing { return "the key file does not exist" }
            return failure.isPermission
                ? "the key file must be a regular file that belongs to this user, with mode 0600"
                : "the key file can't be read"
        }

        static func create(_ path: String, _ key: SecretKey) throws(StorageError) {
            try key.withBytes { (bytes) throws(StorageError) in
                do throws(IOFailure) {
                    try unsafe bytes.withUnsafeBytes { (buffer) throws(IOFailure) in
                        try PrivateFile.create(path, unsafe Bytes(buffer))
                    }
                } catch {
                    guard error.isNotEmpty else { throw error.storageError }
                    throw StorageError(
                        .invalidArgument,
                        "a file exists already and is not replaced: it may hold the only copy of a key",
                        file: path, cause: error)
                }
            }
        }
    }
#endif
