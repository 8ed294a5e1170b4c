#if Encryption
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
#endif
