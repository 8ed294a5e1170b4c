#if Encryption
    import Crypto
    import CryptoExtras
    import ShaleBase
    import ShalePlatform

    /// The parameters that derive the same key from a passphrase again. Stored with the store; on disk, do not change:
    /// method u8 (1 = scrypt), log2 N u8, r u8, p u8, salt 32.
    struct ScryptParameters {
        private static let method: UInt8 = 1
        private static let headerBytes = 4
        private static let saltBytes = 32

        let costs: ScryptCosts
        let salt: [UInt8]

        static func make(_ costs: ScryptCosts) throws(StorageError) -> ScryptParameters {
            do throws(IOFailure) {
                return ScryptParameters(costs: costs, salt: try SecretMemory.randomBytes(saltBytes))
            } catch {
                throw error.storageError
            }
        }

        var bytes: [UInt8] {
            let header = [costs.rounds.trailingZeroBitCount, costs.blockSize, costs.parallelism].map { UInt8($0) }
            return [ScryptParameters.method] + header + salt
        }

        private init(costs: ScryptCosts, salt: [UInt8]) {
            self.costs = costs
            self.salt = salt
        }

        /// Checks the stored parameters before they cause any memory to be allocated.
        init(_ bytes: [UInt8]) throws(StorageError) {
            guard bytes.count == ScryptParameters.headerBytes + ScryptParameters.saltBytes,
                bytes[0] == ScryptParameters.method, bytes[1] < 32
            else {
                throw StorageError(.wrongKey, "the store's key is not derived from a passphrase")
            }
            do throws(StorageError) {
                costs = try ScryptCosts(
                    rounds: 1 << Int(bytes[1]), blockSize: Int(bytes[2]), parallelism: Int(bytes[3]))
            } catch {
                // The costs come from the store, not from the caller, and no version of this library writes such costs.
                throw .corruption("the costs of scrypt in the store's key record are out of bounds", cause: error)
            }
            salt = Array(bytes[ScryptParameters.headerBytes...])
        }

        /// Derives the key from the passphrase's UTF-8 without normalization.
        func key(from passphrase: String) throws(StorageError) -> SecretKey {
            var text = Array(passphrase.utf8)
            defer { SecretKey.wipe(&text) }
            let key: SymmetricKey
            do {
                key = try KDF.Scrypt.deriveKey(
                    from: text, salt: salt, outputByteCount: SecretKey.byteCount, rounds: costs.rounds,
                    blockSize: costs.blockSize, parallelism: costs.parallelism)
            } catch {
                throw .cipherFailed(error)
            }
            var bytes = unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }
            return try SecretKey(wiping: &bytes)
        }
    }
#endif
