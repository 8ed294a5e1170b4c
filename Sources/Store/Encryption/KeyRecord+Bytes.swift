import ShaleBase

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
        func field(_ tag: UInt16) throws(ParseFailure) -> ByteReader {
            guard let field = fields[tag] else { throw ParseFailure("a field is missing") }
            return field
        }
        var master = try field(masterTag)
        var cipher = try field(cipherTag)
        let record = KeyRecord(
            storeID: try field(storeTag).bytes.array(), masterKey: try master.u32(),
            cipher: CipherID(rawValue: try cipher.u8()), parameters: try field(parameterTag).bytes.array(),
            check: try field(checkTag).bytes.array())
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
