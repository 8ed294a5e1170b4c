import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What an import reads from its input: one value with its key, and the field that was taken out of it.
struct Record: Equatable {
    var key: [UInt8] = []
    var value = ImportedValue.string("")
    /// The purgeable field's value, when the record has that field.
    var purgeable: ImportedValue?
}

/// A value as the store will type it.
enum ImportedValue: Equatable {
    /// A valid JSON text without superfluous white space.
    case json([UInt8])
    case string(String)
    case integer(Int64)
    case double(Double)
    case boolean(Bool)
    case data(Data)
    case date(Date)
    case propertyList(StructuredValue)
}

/// How records are made of an input's fields.
struct RecordShape: Equatable {
    /// The fields whose values, joined by `separator`, are the key.
    var keyFields: [String]
    var separator = "/"
    /// The field that goes to a second namespace, as a purgeable entry under the same key.
    var purgeableField: String?

    /// Joins the values of the key fields. A value that holds the separator is refused when there are several fields:
    /// ("a/b", "c") and ("a", "b/c") must not become one key.
    func key(_ parts: [[UInt8]?], at place: @autoclosure () -> String) throws -> [UInt8] {
        var key: [UInt8] = []
        for (field, part) in zip(keyFields, parts) {
            guard let part else { throw ToolFailure.badInput("\(place()) has no field \(field)") }
            if keyFields.count > 1, String(decoding: part, as: UTF8.self).contains(separator) {
                throw ToolFailure.badInput(
                    "\(place()): its \(field) holds the separator \"\(separator)\"; name another with --separator")
            }
            if !key.isEmpty || field != keyFields.first { key.append(contentsOf: separator.utf8) }
            key.append(contentsOf: part)
        }
        return key
    }
}

/// A source of records. Reads its input piece by piece.
protocol RecordReader {
    /// Replaces `record` by the next one; false at the end.
    mutating func next(_ record: inout Record) throws -> Bool
}
