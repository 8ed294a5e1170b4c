import ShaleBase
import ShalePlatform

/// The store's record of its master key, kept as the options of an internal namespace. It is written before the first
/// encrypted value.
///
/// On disk, do not change. Fields are tag u16 | length u32 | bytes, with ascending tags:
///
/// - 1 store id (16 random bytes)
/// - 2 master key id (u32, starts at 1, grows by 1 with every rotation)
/// - 3 cipher that seals data keys (u8)
/// - 4 the provider's parameters
/// - 5 key check (nonce, sealed empty plaintext)
///
/// Readers skip unknown tags with bit 15 set; any other unknown tag means a newer format.
package struct KeyRecord: Equatable, Sendable {
    static let storeIDBytes = 16
    static let parameterBytesMax = 1024

    /// The namespace's name, in the store's internal space: it belongs to no user and appears in no list.
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
            throw .invalid(
                "a key provider's parameters are \(parameters.count) bytes, over the limit of "
                    + "\(KeyRecord.parameterBytesMax)")
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

    /// Makes a record for a store that has none.
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
            throw StorageError(.wrongKey, "the key is not the one that the store was encrypted with")
        }
    }
}

extension KeyRecord {
    private static let storeTag: UInt16 = 1
    private static let masterTag: UInt16 = 2
    private static let cipherTag: UInt16 = 3
    private static let parameterTag: UInt16 = 4
    private static let checkTag: UInt16 = 5
    private static let skippableBit: UInt16 = 0x8000

    package var bytes: [UInt8] {
        var buffer = ByteBuffer()
        func append(_ tag: UInt16, _ bytes: [UInt8]) {
            buffer.append(tag)
            buffer.append(UInt32(bytes.count))
            buffer.append(bytes)
        }
        append(KeyRecord.storeTag, storeID)
        buffer.append(KeyRecord.masterTag)
        buffer.append(UInt32(4))
        buffer.append(masterKey)
        append(KeyRecord.cipherTag, [cipher.rawValue])
        append(KeyRecord.parameterTag, parameters)
        append(KeyRecord.checkTag, check)
        return buffer.bytes.array()
    }

    package init(bytes: [UInt8]) throws(StorageError) {
        let parsed: KeyRecord?
        do throws(ParseFailure) {
            let span = unsafe bytes.span.bytes
            parsed = try unsafe span.withUnsafeBytes { (buffer) throws(ParseFailure) in
                try KeyRecord.parse(ByteReader(unsafe Bytes(buffer)))
            }
        } catch {
            throw .corruption("the store's key record is not valid: \(error.reason)")
        }
        guard let parsed else {
            throw StorageError(.newerFormat, "the store's key record has fields that this version does not know")
        }
        self = parsed
    }

    /// Returns `nil` for a record of a newer version.
    private static func parse(_ start: ByteReader) throws(ParseFailure) -> KeyRecord? {
        var reader = start
        var fields: [UInt16: ByteReader] = [:]
        while !reader.isAtEnd {
            let tag = try reader.u16("a tag")
            let field = try reader.slice(Int(try reader.u32("a length")), "a field")
            guard (storeTag...checkTag).contains(tag) || tag >= skippableBit else { return nil }
            fields[tag] = ByteReader(field)
        }
        var master = try fields.field(masterTag)
        var cipher = try fields.field(cipherTag)
        let record = KeyRecord(
            storeID: try fields.field(storeTag).bytes.array(), masterKey: try master.u32(),
            cipher: CipherID(rawValue: try cipher.u8()), parameters: try fields.field(parameterTag).bytes.array(),
            check: try fields.field(checkTag).bytes.array())
        guard record.storeID.count == storeIDBytes, record.check.count > SealedBytes.nonceBytes,
            record.parameters.count <= parameterBytesMax, master.isAtEnd, cipher.isAtEnd
        else { throw ParseFailure("a field has another length") }
        return record
    }

    private init(storeID: [UInt8], masterKey: UInt32, cipher: CipherID, parameters: [UInt8], check: [UInt8]) {
        self.storeID = storeID
        self.masterKey = masterKey
        self.cipher = cipher
        self.parameters = parameters
        self.check = check
    }
}

/// The store's master key, ready for use. It seals the data keys.
struct MasterKey: Sendable {
    let record: KeyRecord
    let sealer: any ValueSealer
}
