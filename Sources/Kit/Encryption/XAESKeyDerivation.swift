#if Encryption
    import Crypto
    import CryptoExtras

    /// The key derivation of XAES-256-GCM: AES-CMAC in counter mode (NIST SP 800-108) over the first half of the nonce.
    struct XAESKeyDerivation: Sendable {
        static let nonceBytes = 24
        private static let blockBytes = 16

        /// The CMAC subkey K1, as two little-endian words.
        private let subkey: (UInt64, UInt64)

        init(_ key: SymmetricKey) throws {
            var block = [UInt8](repeating: 0, count: Self.blockBytes)
            defer { SecretKey.wipe(&block) }
            try AES.permute(&block, key: key)
            let carry = block[0] >> 7
            for index in 0..<Self.blockBytes {
                block[index] = block[index] << 1 | (index + 1 < Self.blockBytes ? block[index + 1] >> 7 : 0)
            }
            block[Self.blockBytes - 1] ^= carry * 0x87
            subkey = unsafe block.withUnsafeBytes { unsafe Self.words($0) }
        }

        /// Returns the key for nonces that begin with these 12 bytes. Both blocks of the key are computed in temporary
        /// memory and wiped.
        func key(for prefix: UnsafeRawBufferPointer, with key: SymmetricKey) throws -> SymmetricKey {
            let low = UInt64(littleEndian: UInt64(unsafe prefix.loadUnaligned(as: UInt32.self))) << 32
            let high = UInt64(littleEndian: unsafe prefix.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
            return try unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * Self.blockBytes) { (both) in
                defer { unsafe SecretKey.wipe(UnsafeMutableRawBufferPointer(both)) }
                for counter in [1, 2] as [UInt64] {
                    let start = Int(counter - 1) * Self.blockBytes
                    var block = unsafe UnsafeMutableBufferPointer(rebasing: both[start..<(start + Self.blockBytes)])
                    let raw = UnsafeMutableRawBufferPointer(block)
                    // 0, counter, "X", 0, prefix.
                    let first = low | UInt64(UInt8(ascii: "X")) << 16 | counter << 8
                    unsafe raw.storeBytes(of: (first ^ subkey.0).littleEndian, as: UInt64.self)
                    unsafe raw.storeBytes(of: (high ^ subkey.1).littleEndian, toByteOffset: 8, as: UInt64.self)
                    try unsafe AES.permute(&block, key: key)
                }
                return unsafe SymmetricKey(data: UnsafeRawBufferPointer(both))
            }
        }

        private static func words(_ block: UnsafeRawBufferPointer) -> (UInt64, UInt64) {
            (
                UInt64(littleEndian: unsafe block.loadUnaligned(as: UInt64.self)),
                UInt64(littleEndian: unsafe block.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }
#endif
