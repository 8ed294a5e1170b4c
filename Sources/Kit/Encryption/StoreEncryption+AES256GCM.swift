#if Encryption
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
