import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Single values as elements of keys, for modules that read fields without decoding their records. Each property is
/// `nil` if decoding the value as the type refuses it, and has the decoded value otherwise.
extension CompactValue {
    package var intElement: CompositeKey.Element? { integer(Int.self).map { .int(Int64($0)) } }

    package var doubleElement: CompositeKey.Element? { double().map { .double($0) } }

    package var boolElement: CompositeKey.Element? { bool.map { .bool($0) } }

    /// Throws `.corruption` if the bytes are not UTF-8.
    package var stringElement: CompositeKey.Element? {
        get throws(StorageError) { try string().map { .string($0) } }
    }

    /// Throws `.corruption` for a date that is not a number.
    package var dateElement: CompositeKey.Element? {
        get throws(StorageError) { try date().map { .date($0) } }
    }

    /// Throws `.corruption` if the bytes of a text are not UTF-8.
    package var uuidElement: CompositeKey.Element? {
        get throws(StorageError) { try readUUID().map { .uuid($0) } }
    }
}
