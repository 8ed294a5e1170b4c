import Shale
import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The bytes of index keys: columns, each as an element of a ``CompositeKey``, one after the other. On disk, do not
/// change: the article "How collections work" has the table.
///
/// 1. No element's bytes are the beginning of another element's, so the columns of a key can't be mistaken for those
///    of another key, and what follows the columns does not influence their order.
/// 2. A descending column has all bits of its element inverted. Because of 1, that reverses the order exactly.
/// 3. −0.0 is stored as 0.0, in dates too, and every NaN as the same one, because the conditions of queries don't
///    distinguish them.
/// 4. Text and bytes are cut after ``cutBytes`` bytes. A hash of the whole value follows, so that most lookups of long
///    values read one entry. A query verifies each record, so equal hashes cost time only.
struct IndexKey {
    /// The longest part of a text or of bytes that a column contains.
    static let cutBytes = 512
    private static let cutMarkBytes = 2
    static let columnsMax = 8
    /// The longest primary key. With 8 columns of up to 1035 bytes an index key stays below the 16 KiB of any key.
    static let primaryBytesMax = 2048

    private(set) var bytes: [UInt8] = []
    private(set) var hasNull = false
    /// The offset behind the mark of the first column that was cut; `nil` if none was. Up to there the keys of values
    /// that begin equally are equal.
    private(set) var cutEnd: Int?

    init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    /// Makes an empty key with room for some bytes.
    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Appends a column.
    mutating func append(_ element: CompositeKey.Element, isDescending: Bool) {
        let start = bytes.count
        var encoder = CompositeKeyEncoder()
        swap(&encoder.bytes, &bytes)
        switch element {
        case .string(let text) where text.utf8.count > IndexKey.cutBytes:
            encoder.appendStart(of: text.utf8.prefix(IndexKey.cutBytes), isText: true)
            cutEnd = cutEnd ?? encoder.bytes.count + IndexKey.cutMarkBytes
            encoder.appendCut(hash: Array(text.utf8).withBytes { XXH3.hash($0) })
        case .bytes(let content) where content.count > IndexKey.cutBytes:
            encoder.appendStart(of: content.prefix(IndexKey.cutBytes), isText: false)
            cutEnd = cutEnd ?? encoder.bytes.count + IndexKey.cutMarkBytes
            encoder.appendCut(hash: content.withBytes { XXH3.hash($0) })
        case .null:
            hasNull = true
            encoder.append(element)
        default: encoder.append(IndexKey.canonical(element))
        }
        swap(&encoder.bytes, &bytes)
        if isDescending { invert(from: start) }
    }

    /// Appends a column of a text that is not cut, as ``append(_:isDescending:)`` does, without making a `String`.
    mutating func append(utf8: Bytes, isDescending: Bool) {
        let start = bytes.count
        var encoder = CompositeKeyEncoder()
        swap(&encoder.bytes, &bytes)
        encoder.append(utf8: utf8)
        swap(&encoder.bytes, &bytes)
        if isDescending { invert(from: start) }
    }

    /// Appends a column as a keyed hash, which has one length and no order.
    mutating func append(hash: [UInt8], isNull: Bool) {
        if isNull { hasNull = true }
        bytes += hash
    }

    /// Appends the beginning that the columns of all texts, or bytes, starting with `prefix` have.
    mutating func append(prefix: [UInt8], isText: Bool, isDescending: Bool) {
        let start = bytes.count
        var encoder = CompositeKeyEncoder()
        swap(&encoder.bytes, &bytes)
        encoder.appendStart(of: prefix.prefix(IndexKey.cutBytes), isText: isText)
        swap(&encoder.bytes, &bytes)
        if isDescending { invert(from: start) }
    }

    /// Appends the bytes of a primary key behind the columns.
    mutating func append(primary: Bytes, isDescending: Bool) {
        let start = bytes.count
        unsafe bytes.append(contentsOf: primary.buffer)
        if isDescending { invert(from: start) }
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        hasNull = false
        cutEnd = nil
    }

    private mutating func invert(from start: Int) {
        for index in start..<bytes.count { bytes[index] = ~bytes[index] }
    }

    /// Returns the one form of a number that conditions treat as equal to others.
    static func canonical(_ element: CompositeKey.Element) -> CompositeKey.Element {
        switch element {
        case .double(let value) where value.isNaN: .double(.nan)
        case .double(let value) where value == 0: .double(0)
        case .date(let value) where value.timeIntervalSinceReferenceDate == 0:
            .date(Date(timeIntervalSinceReferenceDate: 0))
        default: element
        }
    }

    /// Returns the bytes of a primary key: one element, canonical, never cut.
    static func primary(_ element: CompositeKey.Element) throws(StorageError) -> [UInt8] {
        guard element != .null else { throw .invalid("a primary key is nil") }
        var encoder = CompositeKeyEncoder()
        encoder.append(canonical(element))
        guard encoder.bytes.count <= primaryBytesMax else {
            throw .invalid("a primary key is too long bytes=\(encoder.bytes.count) of \(primaryBytesMax)")
        }
        return encoder.bytes
    }
}

/// The value of an index entry: how to find the primary key. On disk, do not change.
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 1 | 0: the primary key follows the columns in the entry's key; 1: it follows here |
/// | 1 | 2 | for 0: bytes of the columns, big-endian |
/// | 3 | 2 | for 0, if a column was cut: ``IndexKey/cutEnd``, big-endian |
/// | 1 | n | for 1: the primary key |
struct IndexEntryValue {
    let primary: [UInt8]
    /// The part of the entry's key that all values which begin like a cut one share; `nil` if nothing was cut.
    let cutEnd: Int?

    static func inKey(columnBytes: Int, cutEnd: Int?) -> [UInt8] {
        var bytes: [UInt8] = []
        replace(&bytes, columnBytes: columnBytes, cutEnd: cutEnd)
        return bytes
    }

    /// Replaces the content of `bytes` by the value of an entry whose key ends with the primary key.
    static func replace(_ bytes: inout [UInt8], columnBytes: Int, cutEnd: Int?) {
        bytes.removeAll(keepingCapacity: true)
        bytes.reserveCapacity(5)
        bytes.append(0)
        append(columnBytes, to: &bytes)
        if let cutEnd { append(cutEnd, to: &bytes) }
    }

    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: number >> 8))
        bytes.append(UInt8(truncatingIfNeeded: number))
    }

    /// Replaces the content of `bytes` by the value of an entry whose key lacks the primary key.
    static func replace(_ bytes: inout [UInt8], by primary: [UInt8]) {
        bytes.removeAll(keepingCapacity: true)
        bytes.reserveCapacity(1 + primary.count)
        bytes.append(1)
        bytes.append(contentsOf: primary)
    }

    /// Reads the value of an entry. `invertsPrimary` is that of the index.
    init(_ value: [UInt8], key: [UInt8], invertsPrimary: Bool) throws(StorageError) {
        self = try value.withBytes { (value) throws(StorageError) in
            try key.withBytes { (key) throws(StorageError) in
                try IndexEntryValue(value, key: key, invertsPrimary: invertsPrimary)
            }
        }
    }

    init(_ value: Bytes, key: Bytes, invertsPrimary: Bool) throws(StorageError) {
        let parts = try IndexEntryParts(value, key: key)
        var primary = parts.primary.array()
        if parts.isInKey, invertsPrimary { for index in primary.indices { primary[index] = ~primary[index] } }
        self.primary = primary
        cutEnd = parts.cutEnd
    }
}

/// The value of an index entry, in the memory of the entry.
struct IndexEntryParts {
    /// The primary key. If it is in the entry's key, and the index inverts primary keys, it is inverted.
    let primary: Bytes
    let isInKey: Bool
    /// See ``IndexEntryValue/cutEnd``.
    let cutEnd: Int?

    init(_ value: Bytes, key: Bytes) throws(StorageError) {
        switch value.isEmpty ? nil : value[0] {
        case 1 where value.count > 1:
            primary = value.suffix(from: 1)
            isInKey = false
            cutEnd = nil
            return
        case 0 where value.count == 3 || value.count == 5:
            let columnBytes = Int(value[1]) << 8 | Int(value[2])
            guard columnBytes < key.count else { break }
            primary = key.suffix(from: columnBytes)
            isInKey = true
            cutEnd = value.count == 5 ? min(key.count, Int(value[3]) << 8 | Int(value[4])) : nil
            return
        default: break
        }
        throw .corruption("an index entry is not valid")
    }
}
