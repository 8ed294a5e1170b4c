import ShaleBase

/// A ``ValueCipher`` that also makes keyed hashes. Collections of encrypted records need one for their indexes.
///
/// `AES256GCM` of the product `ShaleEncryption` is one.
public protocol KeyedHashing: ValueCipher {
    /// Returns the hash function of a key.
    ///
    /// It must be a pseudorandom function: without the key its results look like random bytes, except that equal
    /// contents have equal hashes. A key must give the same function permanently.
    func hasher(with key: SecretKey) throws(StorageError) -> any KeyedHasher
}

/// A pseudorandom function with its key. Called from any thread.
public protocol KeyedHasher: Sendable {
    /// Returns the hash of `content`: 16 bytes.
    func hash(_ content: RawSpan) -> [UInt8]
}

extension Store.Namespace {
    /// Makes the secret of a hash function. The caller stores it as an encrypted value.
    ///
    /// On disk, do not change: cipher u8, key 32 bytes.
    ///
    /// - Throws: `.cipherMismatch` if the store was opened without encryption, or with a cipher that makes no keyed
    ///   hashes.
    package func makeHashSecret() throws(StorageError) -> [UInt8] {
        let cipher = try state.core.requireKeyRing().encryption.cipher
        _ = try requireHashing(cipher)
        return try SecretKey().withBytes { (bytes) in [cipher.id.rawValue] + [UInt8](copying: bytes) }
    }

    /// Returns the hash function of a stored secret, and overwrites the secret.
    ///
    /// - Throws: `.cipherMismatch` if the store was opened without the cipher of the secret.
    package func keyedHasher(wiping secret: inout [UInt8]) throws(StorageError) -> any KeyedHasher {
        defer { SecretKey.wipe(&secret) }
        guard secret.count == 1 + SecretKey.byteCount else {
            throw .corruption("the secret of a hash function is \(secret.count) bytes")
        }
        let cipher = try state.core.requireKeyRing().requireCipher(CipherID(rawValue: secret[0]))
        var key = Array(secret[1...])
        return try requireHashing(cipher).hasher(with: try SecretKey(wiping: &key))
    }

    private func requireHashing(_ cipher: any ValueCipher) throws(StorageError) -> any KeyedHashing {
        guard let hashing = cipher as? any KeyedHashing else {
            throw StorageError(.cipherMismatch, "the cipher makes no keyed hashes cipher=\(cipher.id)")
        }
        return hashing
    }
}
