import ShaleBase

/// A segment's properties about one slice's dictionary. On disk, do not change: DESIGN.md, "Dictionaries".
struct DictionaryRecord: Equatable {
    let namespace: NamespaceID
    /// In thousandths: see ``BlockDictionary/savedShare``.
    let savedShare: UInt32
    let handle: BlockHandle

    static let encodedBytes = 24

    static func encode(_ records: [DictionaryRecord], into buffer: inout ByteBuffer) {
        for record in records {
            buffer.append(record.namespace.rawValue)
            buffer.append(record.savedShare)
            record.handle.encode(to: &buffer)
        }
    }

    static func decode(_ raw: Bytes) throws(ParseFailure) -> [DictionaryRecord] {
        var records: [DictionaryRecord] = []
        var reader = ByteReader(raw)
        while !reader.isAtEnd {
            let record = DictionaryRecord(
                namespace: NamespaceID(rawValue: try reader.u32("a dictionary's record")),
                savedShare: try reader.u32("a dictionary's record"), handle: try BlockHandle.decode(&reader))
            let limit = UInt32(SegmentFormat.dictionaryBytesMax)
            guard record.savedShare <= 1000, max(record.handle.rawLength, record.handle.storedLength) <= limit else {
                throw ParseFailure("a dictionary's record is out of bounds")
            }
            if let last = records.last {
                guard last.namespace < record.namespace, last.handle.end == record.handle.offset else {
                    throw ParseFailure("the dictionaries are out of order")
                }
            }
            records.append(record)
        }
        guard !records.isEmpty else { throw ParseFailure("the list of dictionaries is empty") }
        return records
    }
}
