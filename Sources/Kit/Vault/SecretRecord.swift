#if Encryption
    import ShaleBase

    /// The stored form of a secret, which the store encrypts: its address, which the key does not reveal, and the
    /// secret. On disk, do not change: format u8 (1) | parts of the path u32 | for each of them and for the name:
    /// length u32 | bytes | secret.
    enum SecretRecord {
        private static let format: UInt8 = 1

        static func bytes(_ address: SecretAddress, _ secret: [UInt8]) -> [UInt8] {
            var buffer = ByteBuffer()
            buffer.append(format)
            buffer.append(UInt32(address.path.count))
            for part in address.path + [address.name] { buffer.append(part: part) }
            buffer.append(secret)
            defer {
                // Overwrites the buffer, so that no copy of the secret stays in memory.
                buffer.mutableBytes.zero(0, buffer.count)
            }
            return buffer.bytes.array()
        }

        static func parse(_ record: [UInt8]) throws(StorageError) -> (address: SecretAddress, secret: [UInt8]) {
            try unsafe record.span.bytes.withUnsafeBytes { (buffer) throws(StorageError) in
                guard unsafe buffer.first == format else {
                    throw StorageError(.newerFormat, "a secret has a format that this version does not know")
                }
                do throws(ParseFailure) {
                    return try parse(unsafe Bytes(buffer))
                } catch {
                    throw .corruption("a secret is not valid: \(error.reason)")
                }
            }
        }

        private static func parse(_ bytes: Bytes) throws(ParseFailure) -> (address: SecretAddress, secret: [UInt8]) {
            var reader = ByteReader(bytes, at: 1)
            let count = Int(try reader.u32("the path"))
            var parts: [EntryKey] = []
            // Adds the parts that exist: with a count that is too large, reading fails at the end of the bytes.
            for _ in 0..<count { parts.append(EntryKey(try reader.string32(limit: bytes.count, "a part"))) }
            let name = EntryKey(try reader.string32(limit: bytes.count, "the name"))
            return (SecretAddress(parts, name), try reader.slice(reader.remaining, "the secret").array())
        }
    }
#endif
