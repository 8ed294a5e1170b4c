package import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An encoded value that a decoder takes its time for: the engine's memory is not pinned meanwhile. That the engine's generic
/// functions see neither the decoder's type nor its result is worth a tenth of a small document's decoding besides: each of
/// them would ask the runtime for the types of its optionals and results.
@usableFromInline
package struct CopiedPayload {
    private let bytes: Data
    private let codec: ValueCodec

    package init(_ payload: RawSpan, _ codec: ValueCodec) {
        bytes = Data(copying: payload)
        self.codec = codec
    }

    /// What a document holds is up to its decoder, whether or not the type has an encoding of its own: for them the cast, which
    /// takes longer than some decoders, is left out.
    @usableFromInline
    package func decoded<T: Decodable>(_ type: T.Type) throws(StorageError) -> T {
        if codec.isDocument { return try CodableCoder.decode(T.self, bytes, codec) }
        return try cast(T.self)
    }

    /// Apart from documents, which would ask the runtime for the cast's types too.
    @inline(never)
    private func cast<T: Decodable>(_ type: T.Type) throws(StorageError) -> T {
        if let storable = T.self as? any StorableValue.Type, let result = try storable.decode(bytes.bytes, codec) as? T
        {
            return result
        }
        return try CodableCoder.decode(T.self, bytes, codec)
    }
}
