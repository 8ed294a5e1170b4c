import Shale
import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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

    private static let uuid: uuid_t = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)

    static func envelopes() throws -> [[UInt8]] {
        try [
            value(Data([1, 2, 3])), value("text é"), value(true), value(-5), value(UInt64.max), value(1.5),
            value(Float(2.5)), value(Date(timeIntervalSinceReferenceDate: 9)),
            value(UUID(uuid: uuid)),
            value(record, .json), value(record, .propertyList), value(["a": [1, 2], "b": []], .json),
        ]
    }

    static func propertyLists() throws -> [[UInt8]] {
        try [
            value(record, .propertyList), value(["a": [1, 2], "b": []], .propertyList),
            value((0..<20).map { "text \($0)" }, .propertyList), value([true, false], .propertyList),
            value([UInt64.max, 0], .propertyList),
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
