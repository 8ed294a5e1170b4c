package import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A copy of an encoded value for slow decoders, so that the engine's memory is not pinned while they run.
///
/// Decoding outside the engine's generic functions also saves 10 % for a small document: with the decoder's type or
/// result as a parameter, each of them would request optional and result types from the runtime.
@usableFromInline
package struct CopiedPayload {
    private let bytes: Data
    private let codec: ValueCodec

    package init(_ payload: RawSpan, _ codec: ValueCodec) {
        bytes = Data(copying: payload)
        self.codec = codec
    }

    /// Decodes the value. For documents the decoder interprets the content for all types, so the cast is skipped: it
    /// takes longer than some decoders.
    @usableFromInline
    package func decoded<T: Decodable>(_ type: T.Type) throws(StorageError) -> T {
        if codec.isDocument { return try CodableCoder.decode(T.self, bytes, codec) }
        return try cast(T.self)
    }

    /// Separate from documents, which would also request the cast's types from the runtime.
    @inline(never)
    private func cast<T: Decodable>(_ type: T.Type) throws(StorageError) -> T {
        if let storable = T.self as? any StorableValue.Type, let result = try storable.decode(bytes.bytes, codec) as? T
        {
            return result
        }
        return try CodableCoder.decode(T.self, bytes, codec)
    }
}
