#if Encryption
    import Crypto
    import CryptoExtras

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// AES-256-GCM under a key derived for each value: XAES-256-GCM (C2SP) with 192-bit nonces.
    ///
    /// With random nonces one key can encrypt 2^80 values before two nonces are equal with a probability of 2^-32;
    /// AES-256-GCM alone permits 2^32 values. The tag adds 16 bytes to a value. The cipher needs only key and nonce,
    /// and keeps no counter or other state.
    public struct AES256GCM: ValueCipher {
        public init() {}

        public var id: CipherID { .aes256GCM }

        public func sealer(with key: SecretKey) throws(StorageError) -> any ValueSealer {
            let key = try key.withBytes { (bytes) in unsafe bytes.withUnsafeBytes { unsafe SymmetricKey(data: $0) } }
            do {
                return XAES256GCMSealer(key: key, derivation: try XAESKeyDerivation(key))
            } catch {
                throw .cipherFailed(error)
            }
        }
    }

    private struct XAES256GCMSealer: ValueSealer {
        private static let tagBytes = 16
        private static let innerNonceBytes = 12

        let key: SymmetricKey
        let derivation: XAESKeyDerivation

        func seal(
            _ plaintext: RawSpan, nonce: RawSpan, context: RawSpan, appendingTo output: inout [UInt8]
        ) throws(StorageError) {
            do {
                let (key, nonce) = try parts(nonce)
                let box = try unsafe plaintext.withUnsafeBytes { (plaintext) in
                    try unsafe context.withUnsafeBytes { (context) in
                        try unsafe AES.GCM.seal(plaintext, using: key, nonce: nonce, authenticating: context)
                    }
                }
                // Appends ciphertext and tag together: each of them alone would be a copy.
                if let combined = box.combined {
                    unsafe combined.withUnsafeBytes {
                        unsafe output.append(
                            contentsOf: UnsafeRawBufferPointer(rebasing: $0.dropFirst(Self.innerNonceBytes)))
                    }
                }
            } catch {
                throw .cipherFailed(error)
            }
        }

        func open(
            _ sealed: RawSpan, nonce: RawSpan, context: RawSpan, appendingTo output: inout [UInt8]
        ) throws(StorageError) -> Bool {
            let count = sealed.byteCount - Self.tagBytes
            guard count >= 0, nonce.byteCount == XAESKeyDerivation.nonceBytes else { return false }
            let key: SymmetricKey
            let box: AES.GCM.SealedBox
            do {
                let innerNonce: AES.GCM.Nonce
                (key, innerNonce) = try parts(nonce)
                box = try Self.box(innerNonce, nonce, sealed)
            } catch {
                throw .cipherFailed(error)
            }
            do {
                let plain = try unsafe context.withUnsafeBytes { (context) in
                    try unsafe AES.GCM.open(box, using: key, authenticating: context)
                }
                unsafe plain.withUnsafeBytes { unsafe output.append(contentsOf: $0) }
                return true
            } catch {
                // With a key, a nonce and a tag of the right lengths the only possible error is a failed
                // authentication, which BoringSSL does not name.
                return false
            }
        }

        /// Returns nonce, ciphertext and tag in the form of swift-crypto. Needs one copy if the nonce directly precedes
        /// the rest, as in stored values.
        private static func box(
            _ inner: AES.GCM.Nonce, _ nonce: RawSpan, _ sealed: RawSpan
        ) throws -> AES.GCM.SealedBox {
            try unsafe sealed.withUnsafeBytes { (sealed) in
                try unsafe nonce.withUnsafeBytes { (nonce) in
                    guard let start = nonce.baseAddress, unsafe start + nonce.count == sealed.baseAddress else {
                        let count = sealed.count - tagBytes
                        return try unsafe AES.GCM.SealedBox(
                            nonce: inner, ciphertext: sealed.prefix(count), tag: sealed.suffix(tagBytes))
                    }
                    let whole = unsafe UnsafeRawBufferPointer(
                        start: start + innerNonceBytes, count: innerNonceBytes + sealed.count)
                    return try unsafe AES.GCM.SealedBox(combined: whole)
                }
            }
        }

        /// Returns the value's own key and the nonce for it.
        private func parts(_ nonce: RawSpan) throws -> (SymmetricKey, AES.GCM.Nonce) {
            try unsafe nonce.withUnsafeBytes { (nonce) in
                (
                    try unsafe derivation.key(for: nonce, with: key),
                    try unsafe AES.GCM.Nonce(data: UnsafeRawBufferPointer(rebasing: nonce[Self.innerNonceBytes...]))
                )
            }
        }
    }

    extension StorageError {
        /// Returns the error for a cipher that could not run: no memory, or wrong arguments of this module. The cause
        /// contains no data.
        static func cipherFailed(_ cause: any Error) -> StorageError {
            StorageError(.codecFailure, "the cipher failed", cause: cause)
        }
    }

    extension StoreEncryption {
        /// Encrypts with AES-256-GCM and a master key from `keys`.
        ///
        /// ```swift
        /// var options = Store.Options()
        /// options.encryption = .aes256GCM(.file("/etc/app/store.key"))
        /// let store = try Store(at: path, options: options)
        /// try store.common["accounts"].set(token, forKey: "token", options: .encrypted)
        /// ```
        public static func aes256GCM(_ keys: KeySource, otherCiphers: [any ValueCipher] = []) -> StoreEncryption {
            StoreEncryption(cipher: AES256GCM(), keys: keys, otherCiphers: otherCiphers)
        }
    }

    /// The key derivation of XAES-256-GCM: AES-CMAC in counter mode (NIST SP 800-108) over the first half of the nonce.
    private struct XAESKeyDerivation: Sendable {
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
