import Shale
import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension FuzzTarget {
    /// Input: a stored value with its envelope, in a store with an application's codec.
    static let customCodec = FuzzTarget(
        "custom-codec", "values of an application's codec: registered, unknown, refusing",
        seeds: {
            try [[130, 0, 3, 1, 2, 3], [130, 0, 0], [131, 0, 1, 9], [200, 0, 7], [0, 1, 130]] + ValueSample.envelopes()
        }
    ) { input in
        let codecs = try CodecTable([PrefixCodec()])
        let object = try ValueTarget.outcome(input) { (span) throws(StorageError) in
            try EncodedValue.object(span, codecs)
        }
        let payload = Data(input.dropFirst(2))
        var decoded: [UInt8]?
        do throws(StorageError) {
            decoded = try codecs.decode(payload, ValueCodec(rawValue: input.first ?? 0), PrefixCodec())
        } catch {
            try requireTyped(error, [.codecFailure, .typeMismatch], namesPlace: false)
        }
        guard let decoded else { return }
        try require(input.count < 2 || input[1] != 0 || object != nil, "a value that decodes has no tree")
        let again = try codecs.encode(decoded, PrefixCodec())
        try require(again == payload, "a value changes when it is stored again")
    }
}

/// A codec that stores a count, then as many bytes.
private struct PrefixCodec: CustomCodec {
    struct Refusal: Error {}

    let id: UInt8 = 130
    let name = "prefix"

    func encode(_ value: [UInt8]) throws -> Data { Data([UInt8(value.count)] + value) }

    func decode(_ payload: Data) throws -> [UInt8] {
        guard let count = payload.first, payload.count == Int(count) + 1 else { throw Refusal() }
        return [UInt8](payload.dropFirst())
    }

    func tree(_ payload: Data) throws -> StructuredValue { .array(try decode(payload).map { .int(Int64($0)) }) }
}
