#if Encryption
    import Crypto

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
        /// var options = StoreOptions()
        /// options.encryption = .aes256GCM(.file("/etc/app/store.key"))
        /// let store = try Store(at: path, options: options)
        /// try store.common["accounts"].set(token, forKey: "token", .encrypted)
        /// ```
        public static func aes256GCM(_ keys: KeySource, otherCiphers: [any ValueCipher] = []) -> StoreEncryption {
            StoreEncryption(cipher: AES256GCM(), keys: keys, otherCiphers: otherCiphers)
        }
    }
#endif
