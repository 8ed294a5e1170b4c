package import ShaleBase

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The application's codecs that are registered with a store.
package struct CodecTable: Sendable {
    /// The ids reserved for applications. On disk, do not change.
    static let ids: ClosedRange<UInt8> = 128...255

    package static let none = CodecTable()

    private let codecs: [UInt8: any CustomCodec]

    private init() { codecs = [:] }

    /// Registers codecs. Throws `.invalidArgument` for an id that is out of range or used twice.
    package init(_ list: [any CustomCodec]) throws(StorageError) {
        var codecs: [UInt8: any CustomCodec] = [:]
        for codec in list {
            guard CodecTable.ids ~= codec.id else {
                throw .invalid("a codec's id is not in 128...255 codec=\(codec.id) name=\(codec.name)")
            }
            guard codecs.updateValue(codec, forKey: codec.id) == nil else {
                throw .invalid("two codecs have the same id codec=\(codec.id)")
            }
        }
        self.codecs = codecs
    }

    // MARK: Coding

    /// Encodes a value into a payload. Throws `.invalidArgument` if the store has no registered codec of this type and
    /// id.
    package func encode<Codec: CustomCodec>(_ value: Codec.Value, _ codec: Codec) throws(StorageError) -> Data {
        try require(codec)
        do {
            return try codec.encode(value)
        } catch {
            throw CodecTable.failure("a value can't be encoded", codec, error)
        }
    }

    /// Decodes a payload that was written with the codec `stored`.
    package func decode<Codec: CustomCodec>(
        _ payload: Data, _ stored: ValueCodec, _ codec: Codec
    ) throws(StorageError) -> Codec.Value {
        try require(codec)
        guard stored == codec.codec else {
            throw .typeMismatch(stored: codecs[stored.rawValue]?.name ?? stored.description, requested: codec.name)
        }
        do {
            return try codec.decode(payload)
        } catch {
            throw CodecTable.failure("a value can't be decoded", codec, error)
        }
    }

    /// Decodes a payload as data. Throws `.newerFormat` if no codec is registered for its id.
    func tree(_ payload: RawSpan, _ stored: ValueCodec) throws(StorageError) -> StructuredValue {
        guard let codec = codecs[stored.rawValue] else { throw .unexpected(stored, requested: "any") }
        do {
            return try codec.tree(Data(copying: payload))
        } catch {
            throw CodecTable.failure("a value can't be decoded", codec, error)
        }
    }

    private func require<Codec: CustomCodec>(_ codec: Codec) throws(StorageError) {
        guard codecs[codec.id] is Codec else {
            throw .invalid("a codec is not registered in the store's options codec=\(codec.id) name=\(codec.name)")
        }
    }

    private static func failure(_ what: String, _ codec: any CustomCodec, _ cause: any Error) -> StorageError {
        cause as? StorageError
            ?? StorageError(.codecFailure, "\(what) codec=\(codec.id) name=\(codec.name)", cause: cause)
    }
}
