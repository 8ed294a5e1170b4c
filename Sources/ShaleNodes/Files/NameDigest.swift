#if Encryption
    import Crypto

    /// File names for names that are too long to be spelt out: SHA-256 (FIPS 180-4). Two texts with one digest would be one key;
    /// nobody can make such two.
    enum NameDigest {
        /// 64 hexadecimal digits.
        static func text(_ bytes: [UInt8]) -> String {
            let digits = Array("0123456789abcdef".utf8)
            let text = SHA256.hash(data: bytes).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
            return String(decoding: text, as: UTF8.self)
        }
    }
#endif
