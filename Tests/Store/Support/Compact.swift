import TestSupport

@testable import Shale

/// Compact documents, without a store.
enum Compact {
    static func bytes<T: Encodable>(_ value: T) throws(StorageError) -> [UInt8] {
        var bytes: [UInt8] = []
        try CompactCoder.with(value) { (document) in bytes = [UInt8](copying: document) }
        return bytes
    }

    static func value<T: Decodable>(_ bytes: [UInt8], as type: T.Type = T.self) throws(StorageError) -> T {
        try unsafe CodableCoder.decode(T.self, CompactInput(copying: bytes.span.bytes))
    }

    /// Encodes a value and decodes it again.
    static func copy<T: Codable>(_ value: T) throws(StorageError) -> T { try self.value(try bytes(value)) }

    static func tree(_ bytes: [UInt8]) throws(StorageError) -> StructuredValue {
        try bytes.withBytes { (bytes) throws(StorageError) in try CompactValue.checkedTree(bytes) }
    }

    /// Passes the root of a document to `body`.
    static func with<R>(
        _ bytes: [UInt8], _ body: (CompactValue) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try bytes.withBytes { (bytes) throws(StorageError) in try body(try CompactValue(document: bytes)) }
    }

    /// Returns the length of a container's content as it is stored.
    static func length(_ count: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } }
}
