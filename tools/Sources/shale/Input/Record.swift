import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One record of an import: a value with its key, and the field that was removed from it.
struct Record: Equatable {
    var key: [UInt8] = []
    var value = ImportedValue.string("")
    /// The value of the purgeable field, if the record has that field.
    var purgeable: ImportedValue?
}

/// A value in the type that the store gives it.
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

/// The rules for making records from an input's fields.
struct RecordShape: Equatable {
    /// The fields whose values, joined by `separator`, are the key.
    var keyFields: [String]
    var separator = "/"
    /// The field that goes to a second namespace, as a purgeable entry under the same key.
    var purgeableField: String?

    /// Joins the values of the key fields. With several fields, a value that contains the separator is rejected:
    /// ("a/b", "c") and ("a", "b/c") must not become the same key.
    func key(_ parts: [[UInt8]?], at place: @autoclosure () -> String) throws -> [UInt8] {
        var key: [UInt8] = []
        for (field, part) in zip(keyFields, parts) {
            guard let part else { throw ToolFailure.badInput("\(place()) has no field \(field)") }
            if keyFields.count > 1, String(decoding: part, as: UTF8.self).contains(separator) {
                throw ToolFailure.badInput(
                    "\(place()): the field \(field) contains the separator \"\(separator)\": "
                        + "choose another with --separator")
            }
            if !key.isEmpty || field != keyFields.first { key.append(contentsOf: separator.utf8) }
            key.append(contentsOf: part)
        }
        return key
    }
}

/// A source of records. Reads its input piece by piece.
protocol RecordReader {
    /// Replaces `record` by the next one. Returns false at the end.
    mutating func next(_ record: inout Record) throws -> Bool
}
