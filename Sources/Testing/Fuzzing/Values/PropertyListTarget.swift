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

enum ValueTarget {
    static func run(_ value: [UInt8]) throws {
        let object = try outcome(value) { (span) throws(StorageError) in try EncodedValue.object(span) }
        if let object { try requireRoundTrip(object) }
        // Decodes as each type that a caller may request.
        _ = try outcome(value) { (span) throws(StorageError) in try EncodedValue.decode(String.self, span) }
        _ = try outcome(value) { (span) throws(StorageError) in try EncodedValue.decode(Int.self, span) }
        _ = try outcome(value) { (span) throws(StorageError) in try EncodedValue.decode(Data.self, span) }
        _ = try outcome(value) { (span) throws(StorageError) in try EncodedValue.decode([String: [Int]].self, span) }
        _ = try outcome(value) { (span) throws(StorageError) in try EncodedValue.decode(ValueSample.Record.self, span) }
    }

    static func outcome<T>(
        _ value: [UInt8], _ decode: (RawSpan) throws(StorageError) -> T
    ) throws(FuzzFinding) -> T? {
        do throws(StorageError) {
            return try unsafe decode(value.span.bytes)
        } catch {
            // Only the engine knows file and offset of a value.
            try requireTyped(
                error, [.corruption, .newerFormat, .typeMismatch, .codecFailure, .cipherMismatch], namesPlace: false)
            return nil
        }
    }

    /// Checks that a document is unchanged after storing it again.
    private static func requireRoundTrip(_ object: StoredValue) throws {
        let (content, format): (StructuredValue, CodableFormat)
        switch object {
        case .json(let value): (content, format) = (value, .json)
        case .propertyList(let value): (content, format) = (value, .propertyList)
        default: return
        }
        var stored: [UInt8] = []
        do throws(StorageError) {
            try EncodedValue.with(content, as: format, default: format) { (payload, codec) throws(StorageError) in
                stored = [codec.rawValue, 0]
                unsafe payload.withUnsafeBytes { unsafe stored.append(contentsOf: $0) }
            }
        } catch {
            return try requireTyped(error, [.codecFailure], namesPlace: false)
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
