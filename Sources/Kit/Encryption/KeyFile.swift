#if Encryption
    import ShaleBase
    import ShalePlatform

    /// Reads and creates files that hold a master key.
    enum KeyFile {
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
