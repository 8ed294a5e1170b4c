#if Encryption
    import Crypto
    import CryptoExtras

    /// The key derivation of XAES-256-GCM: AES-CMAC in counter mode (NIST SP 800-108) over the first half of the nonce.
    struct XAESKeyDerivation: Sendable {
        static let nonceBytes = 24
        private static let blockBytes = 16

        /// The CMAC subkey K1.
        private let subkey: [UInt8]

        init(_ key: SymmetricKey) throws {
            var block = [UInt8](repeating: 0, count: Self.blockBytes)
            try AES.permute(&block, key: key)
            let carry = block[0] >> 7
            for index in 0..<Self.blockBytes {
                block[index] = block[index] << 1 | (index + 1 < Self.blockBytes ? block[index + 1] >> 7 : 0)
            }
            block[Self.blockBytes - 1] ^= carry * 0x87
            subkey = block
        }

        /// The key for nonces that begin with these 12 bytes.
        func key(for prefix: Slice<UnsafeRawBufferPointer>, with key: SymmetricKey) throws -> SymmetricKey {
            var first = try unsafe block(1, prefix, key)
            var second = try unsafe block(2, prefix, key)
            defer {
                SecretKey.wipe(&first)
                SecretKey.wipe(&second)
            }
            var both = first + second
            defer { SecretKey.wipe(&both) }
            return SymmetricKey(data: both)
        }

        private func block(
            _ counter: UInt8, _ prefix: Slice<UnsafeRawBufferPointer>, _ key: SymmetricKey
        ) throws -> [UInt8] {
            var block: [UInt8] = [0, counter, UInt8(ascii: "X"), 0]
            unsafe block += prefix
            for index in 0..<Self.blockBytes { block[index] ^= subkey[index] }
            try AES.permute(&block, key: key)
            return block
        }
    }
#endif
