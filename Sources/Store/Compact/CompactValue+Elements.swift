package import ShaleBase

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

    /// The bytes of a text; `nil` for any other value, also for those that ``stringElement`` converts to a text. Throws
    /// `.corruption` if they are not UTF-8.
    package var utf8: Bytes? {
        get throws(StorageError) {
            guard isText else { return nil }
            guard String.isText(content.span) else { throw .badDocument(ParseFailure("a text is not UTF-8")) }
            return content
        }
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
