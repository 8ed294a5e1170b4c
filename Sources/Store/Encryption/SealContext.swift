import ShaleBase
import ShaleEngine

/// The data that is authenticated with each sealed item, so that the item can't be opened anywhere else. On disk, do
/// not change: integers are little-endian, the first byte says what is sealed, and only the last part has a variable
/// length.
///
/// | sealed | context |
/// |---|---|
/// | value | 1, store 16, namespace u32, data key u32, codec u8, flags u8, expiry i64, header extension, key |
/// | data key | 4, store 16, namespace u32, data key u32, cipher u8, chosen u8, master key u32, options 10, name |
/// | data key of an earlier version | 2, store 16, namespace u32, data key u32, cipher u8, master key u32 |
/// | nothing, as the check of a master key | 3, store 16, master key u32, cipher u8, provider's parameters |
/// | key of a stream | 5, the stream's header, the bytes before the sealed key |
/// | frame of a stream | 6, stream 16, position u64, type u8 |
/// | piece of a value | 7, number u64, last u8, value 16, bytes of a piece u32, then the context of a value |
///
/// The flags of a value: bit 0 purgeable, bit 1 expires, bit 2 has a header extension. Without an expiry its field is
/// 0; without an extension its field is empty. The extension states its own length. `options` are ``BoundOptions`` and
/// `name` is the namespace's name. The sequence number is not part of the context, because compaction may change it
/// while it moves values unchanged.
enum SealContext {
    static func value(
        store: [UInt8], namespace: NamespaceID, dataKey: UInt32, codec: UInt8, _ headerExtension: Bytes,
        _ options: PutOptions,
        key: RawSpan
    ) -> [UInt8] {
        let expiry = options.expiresAtMilliseconds
        var context: [UInt8] = []
        context.reserveCapacity(40 + headerExtension.count + key.byteCount)
        context.append(1)
        context += store
        context.append(littleEndian: namespace.rawValue)
        context.append(littleEndian: dataKey)
        context.append(codec)
        context.append(
            (options.isPurgeable ? 1 : 0) | (expiry == nil ? 0 : 2) | (headerExtension.isEmpty ? 0 : 4))
        context.append(littleEndian: expiry ?? 0)
        context += headerExtension.array()
        if PlantedBug.isActive(.sealWithoutKey) { return context }
        unsafe key.withUnsafeBytes { unsafe context.append(contentsOf: $0) }
        return context
    }

    /// The context of the pieces of one value.
    struct PieceContext {
        private var bytes: [UInt8]

        fileprivate init(_ bytes: [UInt8]) { self.bytes = bytes }

        /// Returns the context of a piece.
        func piece(_ number: Int, isLast: Bool) -> [UInt8] {
            var context: [UInt8] = [7]
            context.reserveCapacity(10 + bytes.count)
            context.append(littleEndian: UInt64(PlantedBug.isActive(.sealWithoutPlace) ? 0 : number))
            context.append(isLast && !PlantedBug.isActive(.sealWithoutEnd) ? 1 : 0)
            return context + bytes
        }
    }

    static func pieces(
        store: [UInt8], namespace: NamespaceID, dataKey: UInt32, codec: UInt8, _ headerExtension: Bytes,
        _ options: PutOptions, key: RawSpan, value number: [UInt8], plainBytes: Int
    ) -> PieceContext {
        var context = number
        context.append(littleEndian: UInt32(truncatingIfNeeded: plainBytes))
        context += value(
            store: store, namespace: namespace, dataKey: dataKey, codec: codec, headerExtension, options, key: key)
        return PieceContext(context)
    }

    static func dataKey(
        store: [UInt8], binding: KeyBinding, dataKey: UInt32, slot: KeySlot, masterKey: UInt32
    ) -> [UInt8] {
        var context: [UInt8] = [4] + store
        context.append(littleEndian: binding.id.rawValue)
        context.append(littleEndian: dataKey)
        context.append(slot.cipher.rawValue)
        context.append(slot.isChosen ? 1 : 0)
        context.append(littleEndian: masterKey)
        if PlantedBug.isActive(.sealKeysWithoutName) { return context }
        return context + binding.boundOptions.bytes + binding.name
    }

    /// The context of keys sealed by an earlier version, which did not authenticate names and options.
    static func earlierDataKey(
        store: [UInt8], namespace: NamespaceID, dataKey: UInt32, cipher: CipherID, masterKey: UInt32
    ) -> [UInt8] {
        var context: [UInt8] = [2] + store
        context.append(littleEndian: namespace.rawValue)
        context.append(littleEndian: dataKey)
        context.append(cipher.rawValue)
        context.append(littleEndian: masterKey)
        return context
    }

    static func check(store: [UInt8], masterKey: UInt32, cipher: CipherID, parameters: [UInt8]) -> [UInt8] {
        var context: [UInt8] = [3] + store
        context.append(littleEndian: masterKey)
        context.append(cipher.rawValue)
        return context + parameters
    }

    static func streamKey(header: [UInt8]) -> [UInt8] { [5] + header }

    static func frame(stream: [UInt8], position: UInt64, type: UInt8) -> [UInt8] {
        var context: [UInt8] = [6] + stream
        context.append(littleEndian: position)
        context.append(type)
        return context
    }
}

extension [UInt8] {
    fileprivate mutating func append<T: FixedWidthInteger & BitwiseCopyable>(littleEndian value: T) {
        unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
    }
}

/// The namespace that a data key is sealed for: its id, its name, and the options that apply to writes.
///
/// All three are authenticated with the key: it does not open for another name or other options. An attacker with
/// access to the files can therefore neither exchange the names of two namespaces nor remove an option to have later
/// writes stored in the clear.
struct KeyBinding: Equatable, Sendable {
    let id: NamespaceID
    /// The name as it is in the catalogue.
    let name: [UInt8]
    let boundOptions: BoundOptions
}

/// The options of a namespace that apply to writes which don't set them.
struct BoundOptions: Equatable, Sendable {
    let isPurgeable: Bool
    let isEncrypted: Bool
    /// The cipher; `nil` means the store's.
    let cipher: CipherID?
    let lifetimeMilliseconds: Int64

    /// On disk, do not change: flags u8 (bit 0 purgeable, bit 1 encrypted), cipher u8 (0 = the store's), time to live
    /// i64 (0 = none).
    var bytes: [UInt8] {
        var bytes: [UInt8] = [(isPurgeable ? 1 : 0) | (isEncrypted ? 2 : 0), cipher?.rawValue ?? 0]
        for shift in stride(from: Int64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: lifetimeMilliseconds >> shift))
        }
        return bytes
    }
}

extension CatalogueOptions {
    var boundOptions: BoundOptions {
        BoundOptions(
            isPurgeable: defaults.isPurgeable, isEncrypted: defaults.isEncrypted, cipher: cipher,
            lifetimeMilliseconds: defaults.lifetimeMilliseconds)
    }

    /// Returns the binding that the namespace's data keys are sealed for under these options.
    func binding(_ id: NamespaceID, _ name: [UInt8]) -> KeyBinding {
        KeyBinding(id: id, name: name, boundOptions: boundOptions)
    }
}
