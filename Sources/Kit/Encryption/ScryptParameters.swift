#if Encryption
    import Crypto
    import CryptoExtras
    import ShaleBase
    import ShalePlatform

    /// The work of deriving a key from a passphrase. Memory: 128 × `blockSize` × `rounds` bytes.
    public struct ScryptCosts: Sendable, Hashable {
        /// The parameter N: a power of two, 2^10 … 2^22.
        public let rounds: Int
        /// The parameter r: 1 … 32.
        public let blockSize: Int
        /// The parameter p: 1 … 16.
        public let parallelism: Int

        /// Throws `.invalidArgument` for values out of bounds, and above 1 GiB of memory.
        public init(rounds: Int, blockSize: Int = 8, parallelism: Int = 1) throws(StorageError) {
            guard rounds.nonzeroBitCount == 1, 1 << 10...1 << 22 ~= rounds, 1...32 ~= blockSize,
                1...16 ~= parallelism, 128 * blockSize * rounds <= 1 << 30
            else {
                throw StorageError(
                    .invalidArgument,
                    "the costs of scrypt are out of bounds rounds=\(rounds) blockSize=\(blockSize) "
                        + "parallelism=\(parallelism)"
                )
            }
            self.init(unchecked: rounds, blockSize, parallelism)
        }

        private init(unchecked rounds: Int, _ blockSize: Int, _ parallelism: Int) {
            self.rounds = rounds
            self.blockSize = blockSize
            self.parallelism = parallelism
        }

        /// N = 2^17, r = 8, p = 1, as OWASP recommends: 128 MiB and a few tenths of a second for each opening.
        public static let standard = ScryptCosts(unchecked: 1 << 17, 8, 1)

        /// N = 2^15, r = 8, p = 1: 32 MiB, for small devices.
        public static let small = ScryptCosts(unchecked: 1 << 15, 8, 1)
    }

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
