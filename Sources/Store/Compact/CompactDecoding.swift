import ShaleBase

/// The fields of an object that is decoded.
struct CompactKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: CompactDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] {
        var keys: [Key] = []
        do throws(StorageError) {
            try decoder.value.forEachField { (name, _) in
                if let key = Key(stringValue: name) { keys.append(key) }
            }
        } catch {
            // The property can't throw. Whatever is decoded next meets the damage again, so the keys up to it are
            // no wrong answer.
            return keys
        }
        return keys
    }

    func contains(_ key: Key) -> Bool {
        do throws(StorageError) {
            return try decoder.find(key.stringValue, staying: true) != nil
        } catch {
            // The function can't throw. The decoding of the field throws the error.
            return true
        }
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        guard let value = try decoder.find(key.stringValue, staying: true) else { throw missing(key) }
        return value.isNull
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decoder.decode(type, try value(key), key)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let value = try decoder.find(key.stringValue), !value.isNull else { return nil }
        return try decoder.decode(type, value, key)
    }

    // The usual types have functions of their own, because the one for all types requests types from the runtime in
    // each call. A value that they don't take is one for `refusal`.

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        let value = try value(key)
        guard let text = try value.string() else { throw decoder.refusal(type, value, key) }
        return text
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        let value = try value(key)
        guard let number = value.integer(Int.self) else { throw decoder.refusal(type, value, key) }
        return number
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        let value = try value(key)
        guard let flag = value.bool else { throw decoder.refusal(type, value, key) }
        return flag
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        let value = try value(key)
        guard let number = value.double() else { throw decoder.refusal(type, value, key) }
        return number
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        guard let value = try decoder.find(key.stringValue), !value.isNull else { return nil }
        guard let text = try value.string() else { throw decoder.refusal(type, value, key) }
        return text
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        guard let value = try decoder.find(key.stringValue), !value.isNull else { return nil }
        guard let number = value.integer(Int.self) else { throw decoder.refusal(type, value, key) }
        return number
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder.inner(try value(key), key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder.inner(try value(key), key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        let key = CompactSuper()
        guard let value = try decoder.find(key.stringValue) else { throw missing(key) }
        return decoder.inner(value, key)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { decoder.inner(try value(key), key) }

    @inline(__always)
    private func value(_ key: Key) throws -> CompactValue {
        guard let value = try decoder.find(key.stringValue) else { throw missing(key) }
        return value
    }

    @inline(never)
    private func missing(_ key: any CodingKey) -> DecodingError {
        .keyNotFound(
            key, DecodingError.Context(codingPath: codingPath, debugDescription: "the object has no such field"))
    }
}

/// The elements of an array that is decoded.
struct CompactUnkeyedDecoding: UnkeyedDecodingContainer {
    private let decoder: CompactDecoder
    private var offset = 0
    private(set) var currentIndex = 0

    init(decoder: CompactDecoder) { self.decoder = decoder }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var isAtEnd: Bool { offset >= decoder.value.content.count }

    /// Counts the elements, in O(elements); `nil` if they are not valid.
    var count: Int? {
        var count = 0
        var offset = 0
        do throws(StorageError) {
            while offset < decoder.value.content.count {
                _ = try decoder.value.element(at: &offset)
                count += 1
            }
        } catch {
            // The property can't throw. The decoding of the damaged element does.
            return nil
        }
        return count
    }

    mutating func decodeNil() throws -> Bool {
        var next = offset
        guard try element(Any?.self, &next).isNull else { return false }
        advance(to: next)
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        var next = offset
        let value = try decoder.decode(type, try element(type, &next), CompactIndex(currentIndex))
        advance(to: next)
        return value
    }

    mutating func decodeIfPresent<T: Decodable>(_ type: T.Type) throws -> T? {
        guard !isAtEnd, !(try decodeNil()) else { return nil }
        return try decode(type)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try superDecoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try superDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
        var next = offset
        let inner = decoder.inner(try element(Any.self, &next), CompactIndex(currentIndex))
        advance(to: next)
        return inner
    }

    private mutating func advance(to next: Int) {
        offset = next
        currentIndex += 1
    }

    @inline(__always)
    private func element(_ type: any Any.Type, _ offset: inout Int) throws -> CompactValue {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type,
                DecodingError.Context(
                    codingPath: codingPath + [CompactIndex(currentIndex)], debugDescription: "the array has ended"))
        }
        return try decoder.value.element(at: &offset)
    }
}

/// A value that is decoded as one other value.
struct CompactSingleDecoding: SingleValueDecodingContainer {
    let decoder: CompactDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.value.isNull }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.decode(type, decoder.value, nil) }
}
