import Shale
import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension FuzzTarget {
    /// Input: a stored value with its envelope.
    static let envelope = FuzzTarget("envelope", "typed values: envelope and every codec", seeds: ValueSample.envelopes)
    {
        try ValueTarget.run($0)
    }

    /// Input: a binary property list, read unchanged and with its trailer made to fit.
    static let propertyList = FuzzTarget(
        "property-list", "property lists: the store's own check, then Foundation's decoder",
        seeds: ValueSample.propertyLists
    ) { input in
        let header = [ValueCodec.propertyList.rawValue, 0]
        try ValueTarget.run(header + input)
        if let fitted = input.fittedPropertyList { try ValueTarget.run(header + fitted) }
    }
}

extension FuzzTarget {
    /// Input: a compact document, read whole, as types and field by field.
    static let compact = FuzzTarget(
        "compact", "compact documents: the check, the tree, types and single fields", seeds: ValueSample.compacts
    ) { input in
        try ValueTarget.run([ValueCodec.compact.rawValue, 0] + input)
        try ValueTarget.readFields(input)
    }
}

enum ValueTarget {
    /// Reads the fields of a document one by one. A field that is found has the value that the whole document has.
    static func readFields(_ input: [UInt8]) throws {
        let tree = try outcome([ValueCodec.compact.rawValue, 0] + input) { (span) throws(StorageError) in
            try EncodedValue.object(span)
        }
        guard case .compact(.dictionary(let members)) = tree else { return }
        for (name, member) in members {
            let field = try input.withBytes { (bytes) throws(StorageError) in
                try CompactValue(document: bytes).field(name)?.tree()
            }
            try require(field == member || member.holdsNaN, "a field differs from its document: \(member)")
        }
    }

    static func run(_ value: [UInt8]) throws {
        let object = try outcome(value) { (span) throws(StorageError) in try EncodedValue.object(span) }
        if let object { try requireRoundTrip(object) }
        // Decodes as each type that a caller may request.
        _ = try outcome(value) { (span) throws(StorageError) in try EncodedValue.decode(String.self, span) }
        _ = try outcome(value) { (span) throws(StorageError) in try EncodedValue.decode(Int.self, span) }
        _ = try outcome(value) { (span) throws(StorageError) in try EncodedValue.decode(Data.self, span) }
        _ = try outcome(value) { (span) throws(StorageError) in try EncodedValue.decode([String: [Int]].self, span) }
        _ = try outcome(value) { (span) throws(StorageError) in try EncodedValue.decode(ValueSample.Record.self, span) }
        _ = try outcome(value) { (span) throws(StorageError) in try EncodedValue.decode(ValueSample.versions, span) }
    }

    static func outcome<T>(
        _ value: [UInt8], _ decode: (RawSpan) throws(StorageError) -> T
    ) throws(FuzzFinding) -> T? {
        do throws(StorageError) {
            return try unsafe decode(value.span.bytes)
        } catch {
            // Only the engine knows file and offset of a value.
            try requireTyped(
                error, [.corruption, .newerFormat, .typeMismatch, .codecFailure, .cipherMismatch], namesPosition: false)
            return nil
        }
    }

    /// Checks that a document is unchanged after storing it again.
    private static func requireRoundTrip(_ object: StoredValue) throws {
        let (content, format): (StructuredValue, CodableFormat)
        switch object {
        case .json(let value): (content, format) = (value, .json)
        case .propertyList(let value): (content, format) = (value, .propertyList)
        case .compact(let value): (content, format) = (value, .compact)
        default: return
        }
        var stored: [UInt8] = []
        do throws(StorageError) {
            try EncodedValue.with(content, as: format, default: format) { (payload, codec) throws(StorageError) in
                stored = [codec.rawValue, 0]
                unsafe payload.withUnsafeBytes { unsafe stored.append(contentsOf: $0) }
            }
        } catch {
            return try requireTyped(error, [.codecFailure], namesPosition: false)
        }
        let again = try unsafe EncodedValue.object(stored.span.bytes)
        // A value with a NaN is not equal to itself, except if containers share their storage.
        try require(
            again == object || content.holdsNaN, "a document changes when it is stored again: \(object)")
    }
}

extension StructuredValue {
    fileprivate var holdsNaN: Bool {
        switch self {
        case .double(let number): number.isNaN
        case .array(let elements): elements.contains { $0.holdsNaN }
        case .dictionary(let members): members.values.contains { $0.holdsNaN }
        default: false
        }
    }
}

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
            try requireTyped(error, [.codecFailure, .typeMismatch], namesPosition: false)
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

/// Sample values in the store's encoding.
enum ValueSample {
    struct Record: Codable {
        var name: String
        var counts: [Int]
        var ratio: Double?
        var when: Date
        var blob: Data
        var children: [Record]
    }

    private static let record = Record(
        name: "näme", counts: [1, -2, 3_000_000_000], ratio: 0.5, when: Date(timeIntervalSinceReferenceDate: 7),
        blob: Data([1, 2, 3]),
        children: [
            Record(
                name: "", counts: [], ratio: nil, when: Date(timeIntervalSinceReferenceDate: -1), blob: Data(),
                children: [])
        ])

    static let versions = VersionedCodec(Record.self).then([String].self) { [$0.name] }

    private static let uuid: uuid_t = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)

    static func envelopes() throws -> [[UInt8]] {
        try [
            value(Data([1, 2, 3])), value("text é"), value(true), value(-5), value(UInt64.max), value(1.5),
            value(Float(2.5)), value(Date(timeIntervalSinceReferenceDate: 9)),
            value(UUID(uuid: uuid)),
            value(record, .json), value(record, .propertyList), value(["a": [1, 2], "b": []], .json),
            value(record, .compact), versioned(1, value(record, .compact)),
            versioned(1, value(record, .json)), versioned(1, value(record, .propertyList)),
            versioned(2, value(["a"], .json)), versioned(3, value("newer")), versioned(1, versioned(1, value(1))),
        ]
    }

    /// Returns a value with a version, made of a plain one.
    private static func versioned(_ version: UInt8, _ plain: [UInt8]) -> [UInt8] {
        [ValueCodec.versioned.rawValue, 0, version, 0, 0, 0, plain[0]] + plain.dropFirst(2)
    }

    static func propertyLists() throws -> [[UInt8]] {
        try [
            value(record, .propertyList), value(["a": [1, 2], "b": []], .propertyList),
            value((0..<20).map { "text \($0)" }, .propertyList), value([true, false], .propertyList),
            value([UInt64.max, 0], .propertyList),
        ].map { Array($0.dropFirst(2)) }
    }

    static func compacts() throws -> [[UInt8]] {
        try [
            value(record, .compact), value(["a": [1, 2], "b": []], .compact), value([UInt64.max, 0], .compact),
            value([nil, 1.5] as [Double?], .compact), value([Float(1.5)], .compact), value(UUID(uuid: uuid), .compact),
            value(String(repeating: "é", count: 40), .compact),
        ].map { Array($0.dropFirst(2)) }
    }

    private static func value<T: Encodable>(_ content: T, _ format: CodableFormat? = nil) throws -> [UInt8] {
        var stored: [UInt8] = []
        try EncodedValue.with(content, as: format, default: .json) { (payload, codec) throws(StorageError) in
            stored = [codec.rawValue, 0]
            unsafe payload.withUnsafeBytes { unsafe stored.append(contentsOf: $0) }
        }
        return stored
    }
}
