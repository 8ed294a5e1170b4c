#if Encryption
    import Crypto

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// HMAC-SHA256, cut to 16 bytes.
    extension AES256GCM: KeyedHashing {
        public func hasher(with key: SecretKey) throws(StorageError) -> any KeyedHasher {
            HMACHasher(
                key: try key.withBytes { (bytes) in unsafe bytes.withUnsafeBytes { unsafe SymmetricKey(data: $0) } })
        }
    }

    private struct HMACHasher: KeyedHasher {
        private static let hashBytes = 16

        let key: SymmetricKey

        func hash(_ content: RawSpan) -> [UInt8] {
            unsafe content.withUnsafeBytes { (content) in
                let code = unsafe HMAC<SHA256>.authenticationCode(for: content, using: key)
                return Array(code.prefix(HMACHasher.hashBytes))
            }
        }
    }
#endif
