import Shale
import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Finds the names under which a record type decodes its properties, by decoding one record from nothing: every value
/// that is asked for is invented, and the names are noted.
///
/// A type that refuses invented values, as an enum does that has no case for an empty text, ends the probe. What was
/// asked for until then is known, so only fields that are *missing after a complete probe* are errors.
enum RecordProbe {
    /// Throws `.invalidArgument` if a field has a name by which `Record` decodes nothing, or if the value decoded by
    /// that name is of another kind.
    static func check<Record: Codable & Sendable>(
        _ fields: [RecordField<Record>], of type: Record.Type
    ) throws(StorageError) {
        let notes = ProbeNotes()
        let record: Record?
        do {
            record = try Record(from: ProbeDecoder(notes: notes, depth: 0))
        } catch {
            // The type refuses what was invented. That says nothing about the schema.
            record = nil
        }
        for field in fields {
            if let kind = notes.kinds[field.name], let kind, kind != field.kind {
                throw .invalid(
                    "a field has another kind than the record's property field=\(field.name) kind=\(field.kind)"
                        + " property=\(kind)")
            }
            guard record != nil, notes.hasKeys, notes.kinds[field.name] == nil else { continue }
            throw .invalid("the record type decodes no property of this name field=\(field.name)")
        }
    }
}

/// The properties that a probe was asked for. Used by one thread.
private final class ProbeNotes {
    /// True if the type decodes its properties by names.
    var hasKeys = false
    /// The kinds by name; `nil` inside for a type that is no ``FieldValue``.
    var kinds: [String: FieldKind?] = [:]
}

private struct ProbeRefusal: Error {}

private struct ProbeDecoder: Decoder {
    /// A type that contains itself is refused at this depth.
    private static let depthMax = 32

    let notes: ProbeNotes
    let depth: Int
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if depth == 0 { notes.hasKeys = true }
        return KeyedDecodingContainer(ProbeKeyed<Key>(notes: notes, depth: depth))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw ProbeRefusal() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        ProbeSingle(notes: notes, depth: depth)
    }

    /// Returns an invented value.
    static func invent<T: Decodable>(_ type: T.Type, _ notes: ProbeNotes, depth: Int) throws -> T {
        guard depth <= depthMax else { throw ProbeRefusal() }
        let known: [Any] = [
            "", false, 0.0, Float(0), 0, Int8(0), Int16(0), Int32(0), Int64(0), UInt(0), UInt8(0), UInt16(0), UInt32(0),
            UInt64(0), Date(timeIntervalSinceReferenceDate: 0), Data(),
            UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
        ]
        for value in known {
            if Swift.type(of: value) == T.self, let value = value as? T { return value }
        }
        if let type = T.self as? any ExpressibleByArrayLiteral.Type, let value = empty(type) as? T { return value }
        if let type = T.self as? any CaseIterable.Type, let value = firstCase(type) as? T { return value }
        return try T(from: ProbeDecoder(notes: notes, depth: depth))
    }

    private static func empty<T: ExpressibleByArrayLiteral>(_ type: T.Type) -> Any { [] as T }

    private static func firstCase<T: CaseIterable>(_ type: T.Type) -> Any? { T.allCases.first }
}

private struct ProbeKeyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let notes: ProbeNotes
    let depth: Int
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    private func note(_ key: Key, _ type: Any.Type) {
        if depth == 0 { notes.kinds[key.stringValue] = .some((type as? any FieldValue.Type)?.fieldKind) }
    }

    // Answers that every property is there, so that types which ask first then decode the property.
    func contains(_ key: Key) -> Bool { true }

    func decodeNil(forKey key: Key) throws -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        note(key, type)
        return try ProbeDecoder.invent(type, notes, depth: depth + 1)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        note(key, type)
        return nil
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(ProbeKeyed<Nested>(notes: notes, depth: depth + 1))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw ProbeRefusal() }

    func superDecoder() throws -> any Decoder { ProbeDecoder(notes: notes, depth: depth + 1) }

    func superDecoder(forKey key: Key) throws -> any Decoder { ProbeDecoder(notes: notes, depth: depth + 1) }
}

private struct ProbeSingle: SingleValueDecodingContainer {
    let notes: ProbeNotes
    let depth: Int
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try ProbeDecoder.invent(type, notes, depth: depth + 1)
    }
}
