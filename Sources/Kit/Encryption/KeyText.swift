#if Encryption
    /// Parses keys as text: 64 hexadecimal digits.
    enum KeyText {
        /// Returns `nil` for any other text.
        static func key(from text: [UInt8]) throws(StorageError) -> SecretKey? {
            guard text.count == 2 * SecretKey.byteCount else { return nil }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(SecretKey.byteCount)
            for index in stride(from: 0, to: text.count, by: 2) {
                guard let high = digit(text[index]), let low = digit(text[index + 1]) else {
                    SecretKey.wipe(&bytes)
                    return nil
                }
                bytes.append(high << 4 | low)
            }
            return try SecretKey(wiping: &bytes)
        }

        private static func digit(_ character: UInt8) -> UInt8? {
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
            default: nil
            }
        }
    }
#endif
