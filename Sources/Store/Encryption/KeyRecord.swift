import ShaleBase
import ShalePlatform

/// What a store knows of its master key: the options of an internal namespace, made before the first encrypted value. On
/// disk, do not change: fields tag u16 | length u32 | bytes, tags ascending: 1 store id (16 random bytes), 2 master key id
/// (u32, from 1, one more with every rotation), 3 cipher that seals data keys (u8), 4 the provider's parameters, 5 key check
/// (nonce, sealed nothing). Unknown tags with bit 15 set are skipped, others are a newer format.
package struct KeyRecord: Equatable, Sendable {
    static let storeIDBytes = 16
    static let parameterBytesMax = 1024

    /// The namespace's name: a space of the store's own, so never one of a user or in a list.
    static let namespaceName: [UInt8] = [NamespaceName.internalTag, 4, 0] + Array("keys".utf8)

    let storeID: [UInt8]
    let masterKey: UInt32
    let cipher: CipherID
    let parameters: [UInt8]
    let check: [UInt8]

    init(
        storeID: [UInt8], masterKey: UInt32, cipher: CipherID, parameters: [UInt8], sealer: any ValueSealer
    ) throws(StorageError) {
        guard parameters.count <= KeyRecord.parameterBytesMax else {
            throw .invalid("a key provider's parameters are \(parameters.count) bytes")
        }
        self.storeID = storeID
        self.masterKey = masterKey
        self.cipher = cipher
        self.parameters = parameters
        let context = SealContext.check(
            store: storeID, masterKey: masterKey, cipher: cipher, parameters: parameters)
        let nothing: [UInt8] = []
        var check: [UInt8] = []
        try unsafe SealedBytes.append(
            nothing.span.bytes, with: sealer, context: context, to: &check)
        self.check = check
    }

    /// A record for a store that has none.
    static func fresh(
        cipher: CipherID, parameters: [UInt8], sealer: any ValueSealer
    ) throws(StorageError) -> KeyRecord {
        let storeID: [UInt8]
        do throws(IOFailure) {
            storeID = try SecretMemory.randomBytes(storeIDBytes)
        } catch {
            throw error.storageError
        }
        return try KeyRecord(storeID: storeID, masterKey: 1, cipher: cipher, parameters: parameters, sealer: sealer)
    }

    /// Throws `.wrongKey` unless `sealer` has the key that the record was made with.
    func verify(_ sealer: any ValueSealer) throws(StorageError) {
        let context = SealContext.check(
            store: storeID, masterKey: masterKey, cipher: cipher, parameters: parameters)
        var plaintext: [UInt8] = []
        let isRight = try unsafe check.span.bytes.withUnsafeBytes { (buffer) throws(StorageError) in
            try SealedBytes.open(unsafe Bytes(buffer), with: sealer, context: context, appendingTo: &plaintext)
        }
        guard isRight, plaintext.isEmpty else {
            throw StorageError(.wrongKey, "the key is not the one that the store's values are encrypted with")
        }
    }
}
