/// The position of an element in a coding path.
struct CompactIndex: CodingKey {
    let intValue: Int?
    var stringValue: String { "Index \(intValue ?? 0)" }

    init(_ index: Int) { intValue = index }
    init?(stringValue: String) { nil }
    init?(intValue: Int) { self.intValue = intValue }
}

/// The name under which a class encodes its superclass.
struct CompactSuper: CodingKey {
    let stringValue = "super"
    var intValue: Int? { nil }

    init() {}
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
}

/// The fields of an object that is encoded.
struct CompactKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: CompactEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil(forKey key: Key) throws {
        try encoder.beginField(key.stringValue)
        encoder.output.append(kind: CompactKind.null)
    }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        let offset = encoder.output.count
        try encoder.beginField(key.stringValue)
        try encoder.encode(value, from: offset, key)
    }

    mutating func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
        guard let value else { return }
        try encode(value, forKey: key)
    }

    // The usual types have functions of their own: see ``CompactKeyedDecoding``.

    mutating func encode(_ value: String, forKey key: Key) throws {
        try encoder.beginField(key.stringValue)
        encoder.output.append(value)
    }

    mutating func encode(_ value: Int, forKey key: Key) throws {
        try encoder.beginField(key.stringValue)
        encoder.output.append(value)
    }

    mutating func encode(_ value: Bool, forKey key: Key) throws {
        try encoder.beginField(key.stringValue)
        encoder.output.append(kind: value ? CompactKind.yes : CompactKind.no)
    }

    mutating func encode(_ value: Double, forKey key: Key) throws {
        try encoder.beginField(key.stringValue)
        encoder.output.append(value)
    }

    mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }

    mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder.fieldPart(key).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.fieldPart(key).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { encoder.fieldPart(CompactSuper()) }

    mutating func superEncoder(forKey key: Key) -> any Encoder { encoder.fieldPart(key) }
}

/// The elements of an array that is encoded.
struct CompactUnkeyedEncoding: UnkeyedEncodingContainer {
    let encoder: CompactEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.count }

    mutating func encodeNil() throws {
        try encoder.beginElement()
        encoder.output.append(kind: CompactKind.null)
    }

    mutating func encode<T: Encodable>(_ value: T) throws {
        let offset = encoder.output.count
        try encoder.beginElement()
        try encoder.encode(value, from: offset, CompactIndex(encoder.count - 1))
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder.elementPart().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        encoder.elementPart().unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { encoder.elementPart() }
}

/// A value that is encoded as one other value.
struct CompactSingleEncoding: SingleValueEncodingContainer {
    let encoder: CompactEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil() throws {
        try encoder.beginSingle()
        encoder.output.append(kind: CompactKind.null)
    }

    mutating func encode<T: Encodable>(_ value: T) throws {
        let offset = encoder.output.count
        try encoder.beginSingle()
        try encoder.encode(value, from: offset, nil)
    }
}
