public import Shale
import ShaleBase

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension RecordCollection {
    /// Imports the records of a JSON array that is read in pieces.
    ///
    /// ```swift
    /// let file = try FileHandle(forReadingFrom: url)
    /// let report = try people.importJSONArray { file.readData(ofLength: 64 << 10) }
    /// ```
    /// Records are taken as by ``importArray(_:as:options:)``, but one at a time: memory holds a piece and one element.
    /// If the text is not valid somewhere, the records before that place are stored.
    ///
    /// - Parameters:
    ///   - options: Purgeability, expiry and encryption.
    ///   - next: Returns the next piece of any size; `nil` or an empty one at the end.
    /// - Throws: `.codecFailure` if the text is no JSON array; `.invalidArgument` for an element above 32 MiB. Errors
    ///   that concern the store, and those of `next`.
    @discardableResult
    public func importJSONArray(
        options: ValueOptions = [], from next: () throws(StorageError) -> Data?
    ) throws(StorageError) -> RecordImportReport {
        var splitter = JSONArraySplitter()
        var run = RecordImport(self, options: options)
        let decoder = JSONDecoder()
        while let piece = try next(), !piece.isEmpty {
            try splitter.take(piece) { (element) throws(StorageError) in
                let tree: StructuredValue
                do {
                    tree = try decoder.decode(StructuredValue.self, from: Data(element))
                } catch {
                    throw JSONArraySplitter.failure("an element is no JSON text", cause: error)
                }
                try run.take(tree)
            }
        }
        try splitter.finish()
        return run.report
    }

    /// Passes the records as a JSON array to `write`, in pieces of about 64 KiB, in the order of their keys, as of one
    /// moment. Returns their number.
    ///
    /// - Throws: `.codecFailure` if a record can't be encoded as JSON. The error of a record that can't be decoded,
    ///   after the others have been written. The errors of reads and of `write`.
    /// - Complexity: O(records). One record is in memory at a time.
    @discardableResult
    public func exportJSONArray(
        to write: (Data) throws(StorageError) -> Void
    ) throws(StorageError) -> Int {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var buffer = Data("[".utf8)
        var count = 0
        let end = try query().forEach { (_, record) throws(StorageError) in
            if count > 0 { buffer.append(UInt8(ascii: ",")) }
            do {
                buffer.append(try encoder.encode(record))
            } catch {
                throw StorageError(.codecFailure, "a record can't be encoded", cause: error)
            }
            count += 1
            guard buffer.count >= 64 << 10 else { return }
            try write(buffer)
            buffer.removeAll(keepingCapacity: true)
        }
        buffer.append(UInt8(ascii: "]"))
        try write(buffer)
        if let failure = end.failures.first { throw failure.error }
        return count
    }
}
