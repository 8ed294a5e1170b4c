#if Encryption
    import ShaleBase

    /// Seals values that must not outlive an installation, with the secret of its generation. On disk, do not change:
    /// format u8 (1) | nonce 24 | sealed (XAES-256-GCM). Authenticated data: `restricted` | generation id 16 | for each
    /// part of the address's path and for its name: length u32 | bytes.
    struct GenerationSeal {
        private static let format: UInt8 = 1

        private let generation: [UInt8]
        private let sealer: any ValueSealer

        init(_ generation: InstallGeneration) throws(StorageError) {
            try self.init(id: generation.id, secret: generation.secret)
        }

        init(id: [UInt8], secret: SecretKey) throws(StorageError) {
            generation = id
            var common = [UInt8](repeating: 0, count: SecretKey.byteCount)
            let key = PlantedBug.isActive(.sealWithCommonKey) ? try SecretKey(wiping: &common) : secret
            sealer = try AES256GCM().sealer(with: key)
        }

        func sealed(_ plain: [UInt8], at address: SecretAddress) throws(StorageError) -> [UInt8] {
            var sealed = [GenerationSeal.format]
            try unsafe SealedBytes.append(plain.span.bytes, with: sealer, context: context(address), to: &sealed)
            return sealed
        }

        /// Throws `.authenticationFailed` if the value was not sealed by this generation at this address.
        func opened(_ sealed: [UInt8], at address: SecretAddress) throws(StorageError) -> [UInt8] {
            guard sealed.first == GenerationSeal.format else {
                throw StorageError(.newerFormat, "a restricted value has a format that this version does not know")
            }
            var plain: [UInt8] = []
            let isOurs = try unsafe sealed.span.bytes.withUnsafeBytes { (buffer) throws(StorageError) in
                try SealedBytes.open(
                    unsafe Bytes(buffer).suffix(from: 1), with: sealer, context: context(address), appendingTo: &plain)
            }
            guard isOurs else {
                throw StorageError(.authenticationFailed, "a restricted value was changed or moved since it was stored")
            }
            return plain
        }

        private func context(_ address: SecretAddress) -> [UInt8] {
            var buffer = ByteBuffer()
            buffer.append(Array("restricted".utf8))
            buffer.append(generation)
            if PlantedBug.isActive(.sealWithoutAddress) { return buffer.bytes.array() }
            for part in address.path + [address.name] { buffer.append(part: part) }
            return buffer.bytes.array()
        }
    }
#endif
