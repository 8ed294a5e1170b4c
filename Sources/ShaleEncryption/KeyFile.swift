#if Encryption
    import ShaleBase
    import ShalePlatform

    /// Files that hold a master key.
    enum KeyFile {
        /// Hexadecimal digits, a line feed, and one byte more to see that there is no more.
        private static let readBytes = 2 * SecretKey.byteCount + 2

        static func read(_ path: String) throws(StorageError) -> SecretKey {
            var bytes: [UInt8]
            do throws(IOFailure) {
                bytes = try PrivateFile.read(path, limit: readBytes)
            } catch {
                throw StorageError(.missingKey, "the key file can't be used", file: path, cause: error)
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

        static func create(_ path: String, _ key: SecretKey) throws(StorageError) {
            try key.withBytes { (bytes) throws(StorageError) in
                do throws(IOFailure) {
                    try unsafe bytes.withUnsafeBytes { (buffer) throws(IOFailure) in
                        try PrivateFile.create(path, unsafe Bytes(buffer))
                    }
                } catch {
                    throw error.storageError
                }
            }
        }
    }
#endif
