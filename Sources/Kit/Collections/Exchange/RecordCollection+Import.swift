public import Shale
import ShaleBase

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The result of importing records.
public struct RecordImportReport: Sendable {
    /// An element that was not imported.
    public struct Failure: Sendable {
        /// The position in the array, from 0.
        public let position: Int
        /// `.codecFailure` if the element is no record, `.constraintViolated` if it breaks a constraint.
        public let error: StorageError
    }

    /// The number of records stored.
    public internal(set) var imported = 0
    /// The elements that were left out. At most 100; ``failed`` counts all.
    public internal(set) var failures: [Failure] = []
    public internal(set) var failed = 0

    mutating func fail(_ position: Int, _ error: StorageError) {
        failed += 1
        if failures.count < 100 { failures.append(Failure(position: position, error: error)) }
    }
}

extension RecordCollection {
    /// Inserts a record that is given as a dictionary, such as an element of a property list.
    ///
    /// - Throws: `.codecFailure` or `.typeMismatch` if the dictionary does not decode as a record. The errors of
    ///   ``insert(_:options:durability:)``.
    @discardableResult
    public func insert(
        values: [String: StructuredValue], options: ValueOptions = [], durability: Durability? = nil
    ) throws(StorageError) -> RecordKey {
        try insert(
            try StructuredValue.dictionary(values).decoded(as: Record.self), options: options, durability: durability)
    }

    /// Imports the records of an array: a JSON text, a property list or a compact document.
    ///
    /// Each element is decoded and stored by itself, in place of a record with the same key if the key is a field. So a
    /// repeated import changes nothing. Elements that are no records or break a constraint are left out and reported.
    ///
    /// The document is in memory as a whole; ``importJSONArray(options:from:)`` reads one in pieces.
    ///
    /// - Throws: `.codecFailure` or `.corruption` if `data` is no document of this format, or no array. Errors that
    ///   concern the store.
    @discardableResult
    public func importArray(
        _ data: Data, as format: CodableFormat, options: ValueOptions = []
    ) throws(StorageError) -> RecordImportReport {
        var run = RecordImport(self, options: options)
        for element in try RecordArray.elements(of: data, format) { try run.take(element) }
        return run.report
    }

    /// Returns the records as an array in the given format, in the order of their keys, as of one moment.
    ///
    /// - Throws: `.codecFailure` if a record can't be encoded in this format or can't be decoded.
    /// - Complexity: O(records), all of them in memory.
    public func exportArray(as format: CodableFormat) throws(StorageError) -> Data {
        let page = try query().page()
        if let failure = page.failures.first { throw failure.error }
        return try RecordArray.data(of: page.records, format)
    }
}

/// An import of records, one after the other. Used by one thread.
package struct RecordImport<Record: Codable & Sendable> {
    package private(set) var report = RecordImportReport()
    private let collection: RecordCollection<Record>
    private let options: ValueOptions
    private var position = 0

    package init(_ collection: RecordCollection<Record>, options: ValueOptions) {
        self.collection = collection
        self.options = options
    }

    /// Stores one record. If it can't be one, it is counted and reported. Throws errors that concern the store.
    package mutating func take(_ element: StructuredValue) throws(StorageError) {
        do throws(StorageError) {
            let record = try element.decoded(as: Record.self)
            if collection.core.layout.key == nil {
                try collection.insert(record, options: options)
            } else {
                try collection.put(record, options: options)
            }
            report.imported += 1
            position += 1
        } catch {
            try fail(error)
        }
    }

    /// Reports that the next record can't be one. Throws errors that concern the store.
    package mutating func fail(_ error: StorageError) throws(StorageError) {
        guard [.codecFailure, .typeMismatch, .constraintViolated, .invalidArgument].contains(error.code) else {
            throw error
        }
        report.fail(position, error)
        position += 1
    }
}

/// Arrays of records as documents.
private enum RecordArray {
    static func elements(of data: Data, _ format: CodableFormat) throws(StorageError) -> [StructuredValue] {
        do {
            switch format {
            case .compact:
                let envelope = [ValueCodec.compact.rawValue, 0] + data
                return try unsafe EncodedValue.decode([StructuredValue].self, envelope.span.bytes)
            case .json: return try JSONDecoder().decode([StructuredValue].self, from: data)
            case .propertyList: return try PropertyListDecoder().decode([StructuredValue].self, from: data)
            }
        } catch {
            throw StorageError(.codecFailure, "the data is no array in the format \(format)", cause: error)
        }
    }

    static func data(of records: [some Encodable], _ format: CodableFormat) throws(StorageError) -> Data {
        do {
            switch format {
            case .json:
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                return try encoder.encode(records)
            case .propertyList:
                let encoder = PropertyListEncoder()
                encoder.outputFormat = .binary
                return try encoder.encode(records)
            case .compact:
                var document = Data()
                try EncodedValue.with(records, as: .compact, default: .compact) { (payload, _) in
                    document = unsafe payload.withUnsafeBytes { unsafe Data($0) }
                }
                return document
            }
        } catch {
            throw StorageError(.codecFailure, "the records can't be encoded", cause: error)
        }
    }
}
