#if Encryption
    import Crypto
    import CryptoExtras
    import ShaleBase
    import ShalePlatform

    /// What a passphrase needs to give the same key again. Kept with the store; on disk, do not change: method u8 (1 =
    /// scrypt), log2 N u8, r u8, p u8, salt 32.
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

        /// Checks what a store says before memory is spent on it.
        init(_ bytes: [UInt8]) throws(StorageError) {
            guard bytes.count == ScryptParameters.headerBytes + ScryptParameters.saltBytes,
                bytes[0] == ScryptParameters.method, bytes[1] < 32
            else {
                throw StorageError(.wrongKey, "the store's key is not made from a passphrase")
            }
            do throws(StorageError) {
                costs = try ScryptCosts(
                    rounds: 1 << Int(bytes[1]), blockSize: Int(bytes[2]), parallelism: Int(bytes[3]))
            } catch {
                // No caller gave these costs: the store does, and no version of this library writes such.
                throw .corruption("the costs of scrypt in the store's key record are out of bounds", cause: error)
            }
            salt = Array(bytes[ScryptParameters.headerBytes...])
        }

        /// The passphrase's UTF-8 as it is: no normalisation.
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
