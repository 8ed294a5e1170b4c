import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decodes types that consist of one value, such as enums with raw values, from a value with an encoding of its own.
///
/// Swift encodes an enum with a raw value as that value, so reading it from a stored raw value loses nothing.
struct ScalarDecoder: Decoder {
    let payload: Data
    let codec: ValueCodec

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Throws `.typeMismatch` if the type needs more than one value, or another one; `.corruption` if the payload is
    /// not valid for its codec.
    static func decode<T: Decodable>(
        _ type: T.Type, _ payload: RawSpan, _ codec: ValueCodec
    ) throws(StorageError) -> T {
        do {
            return try T(from: ScalarDecoder(payload: Data(copying: payload), codec: codec))
        } catch let error as StorageError {
            throw error
        } catch {
            throw StorageError(
                .typeMismatch, "the stored value has another type stored=\(codec) requested=\(T.self)", cause: error)
        }
    }

    private var noContainer: DecodingError {
        DecodingError.typeMismatch(
            [String: Any].self, DecodingError.Context(codingPath: [], debugDescription: "a single \(codec) is stored"))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> { throw noContainer }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw noContainer }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { Container(decoder: self) }

    private struct Container: SingleValueDecodingContainer {
        let decoder: ScalarDecoder
        var codingPath: [any CodingKey] { [] }

        func decodeNil() -> Bool { false }

        func decode(_ type: Bool.Type) throws -> Bool { try storable(type) }
        func decode(_ type: String.Type) throws -> String { try storable(type) }
        func decode(_ type: Double.Type) throws -> Double { try storable(type) }
        func decode(_ type: Float.Type) throws -> Float { try storable(type) }
        func decode(_ type: Int.Type) throws -> Int { try storable(type) }
        func decode(_ type: Int8.Type) throws -> Int8 { try storable(type) }
        func decode(_ type: Int16.Type) throws -> Int16 { try storable(type) }
        func decode(_ type: Int32.Type) throws -> Int32 { try storable(type) }
        func decode(_ type: Int64.Type) throws -> Int64 { try storable(type) }
        func decode(_ type: UInt.Type) throws -> UInt { try storable(type) }
        func decode(_ type: UInt8.Type) throws -> UInt8 { try storable(type) }
        func decode(_ type: UInt16.Type) throws -> UInt16 { try storable(type) }
        func decode(_ type: UInt32.Type) throws -> UInt32 { try storable(type) }
        func decode(_ type: UInt64.Type) throws -> UInt64 { try storable(type) }

        func decode<T: Decodable>(_ type: T.Type) throws -> T {
            if let storable = T.self as? any StorableValue.Type, let value = try self.storable(storable) as? T {
                return value
            }
            return try T(from: decoder)
        }

        private func storable<T: StorableValue>(_ type: T.Type) throws -> T {
            try T(payload: decoder.payload.bytes, codec: decoder.codec)
        }
    }
}
