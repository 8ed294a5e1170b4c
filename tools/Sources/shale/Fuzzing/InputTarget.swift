import Formatting

#if DEBUG || SHALE_FUZZING
    import Foundation
    import Shale

    /// A parser of the command under arbitrary input, with the check of each result.
    ///
    /// Each input must give a consistent result, or an error that scripts recognize by its exit code.
    ///
    /// Only in debug builds, whose tests replay kept and made inputs, and in the fuzzers, which `tools/fuzz` builds.
    public struct InputTarget: Sendable {
        struct Finding: Error, CustomStringConvertible {
            let description: String
        }

        /// The name of its folder in tools/Tests/Command/Corpus.
        public let name: String
        /// One line for a list.
        public let about: String
        /// Feeds one input.
        public let run: @Sendable ([UInt8]) throws -> Void

        init(_ name: String, _ about: String, _ run: @escaping @Sendable ([UInt8]) throws -> Void) {
            self.name = name
            self.about = about
            self.run = run
        }

        public static let all = [control, arguments, json, propertyList, csv]

        /// Control stanzas: however they are cut into pieces, the same records, whose values are compact JSON.
        static let control = InputTarget("command-control", "control stanzas, cut into pieces of any size") { input in
            let shape = RecordShape(
                keyFields: StanzaReader.defaultKeyFields, separator: "/", purgeableField: "Description")
            try requireRecords(input) { StanzaReader($0, shape: shape) }
        }

        /// NDJSON and JSON arrays, likewise.
        static let json = InputTarget("command-json", "NDJSON and JSON arrays, cut into pieces of any size") { input in
            let shape = RecordShape(keyFields: ["k"], separator: "/", purgeableField: "d")
            try requireRecords(input) { JSONLinesReader($0, shape: shape) }
            for array in [nil, "rows"] {
                try requireRecords(input) { JSONArrayReader($0, arrayName: array, shape: shape) }
            }
        }

        /// Property lists: what passes the check may be decoded, and then is a list or an error.
        static let propertyList = InputTarget("command-property-list", "property lists that are imported") { input in
            for fields in [[], ["k"]] {
                try requireRecords(input) { try PropertyListReader($0, shape: RecordShape(keyFields: fields)) }
            }
        }

        /// CSV: as objects and as values of a column, with rows that are left out.
        static let csv = InputTarget("command-csv", "CSV, cut into pieces of any size") { input in
            for column in [nil, "d"] {
                var shape = CSVShape(types: [Array("n".utf8): .int, Array("d".utf8): .json], valueColumn: column)
                try requireRecords(input) { CSVReader($0, shape: RecordShape(keyFields: ["k"]), csv: shape) }
                shape = CSVShape(hasNames: false, valueColumn: "2", badRows: BadRows(isQuiet: true))
                try requireRecords(input) { CSVReader($0, shape: RecordShape(keyFields: ["1"]), csv: shape) }
            }
        }

        private static func requireRecords(_ input: [UInt8], _ make: (ByteStream) throws -> some RecordReader) throws {
            let whole = try outcome(input, pieceBytes: .max, make)
            for size in [1, 7] {
                let cut = try outcome(input, pieceBytes: size, make)
                // A value that contains a NaN is not equal to itself.
                guard cut == whole || "\(cut)" == "\(whole)" else {
                    throw Finding(description: "cut into pieces of \(size) bytes, the input has another result")
                }
            }
        }

        private struct Outcome: Equatable {
            var records: [Record] = []
            var failure: String?
        }

        private static func outcome(
            _ input: [UInt8], pieceBytes: Int, _ make: (ByteStream) throws -> some RecordReader
        ) throws -> Outcome {
            var outcome = Outcome()
            do {
                var reader = try make(ByteStream(input, named: "input", pieceBytes: pieceBytes))
                var record = Record()
                while try reader.next(&record) {
                    if case .json(let text) = record.value, try JSONCompactor(text).output != text {
                        throw Finding(description: "a value is not compact JSON")
                    }
                    outcome.records.append(record)
                }
            } catch let failure as ToolFailure {
                guard failure.status == .badInput || failure.status == .usage else {
                    throw Finding(description: "the command ends with \(failure.status): \(failure)")
                }
                outcome.failure = failure.message
            }
            return outcome
        }
    }

    extension InputTarget {
        /// Values on the command line: paths, keys, lifetimes, sizes, numbers of files, compressions, typed values; and
        /// how each would be shown.
        static let arguments = InputTarget(
            "command-arguments", "paths, keys, sizes and values of the command line, and what is shown of them"
        ) { input in
            let text = String(decoding: input, as: UTF8.self)
            try refusing {
                let path = try NamespacePath(text, user: nil)
                try require(try NamespacePath(path.text, user: nil) == path, "a path changes in a round trip")
                try require(
                    NamespacePath(catalogueName: path.catalogueName) == path,
                    "a path's catalogue name belongs to another path")
            }
            try refusing {
                let key = try KeyArgument.bytes(text, .hex)
                let digits = key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                try require(digits == text.lowercased(), "hexadecimal digits change")
            }
            try refusing {
                let key = try KeyArgument.bytes(text, .base64)
                try require(Data(key).base64EncodedString() == text, "base64 changes")
            }
            try refusing { _ = try KeyArgument.bytes(text, .escaped) }
            try require(
                try KeyArgument.bytes(Shown(key: input).text, .escaped) == input, "a printed key is another one")
            if let lifetime = Lifetime(argument: text) {
                try require(lifetime.duration > .zero, "a lifetime is not positive")
            }
            if let size = ByteCountArgument(argument: text) { try require(size.bytes > 0, "a size is not positive") }
            _ = CompressionArgument(argument: text)
            _ = FileNumberArgument(argument: text)
            for type in PutType.allCases { try refusing { _ = try PutValue(input, type) } }
            try requireShown(text)
        }

        private static func refusing(_ body: () throws -> Void) throws {
            do {
                try body()
            } catch let failure as ToolFailure {
                try require(
                    failure.status == .usage || failure.status == .badInput, "the command ends with \(failure.status)")
            }
        }

        private static func requireShown(_ text: String) throws {
            let json = try jsonText([text]).text
            for shown in [Shown(text).text, Shown(message: text).text, Shown(lines: text).text, json] {
                try require(
                    Escaping.obeyed(in: shown).isEmpty, "shown text controls a terminal: \(shown.debugDescription)")
            }
            try require(try JSONDecoder().decode([String].self, from: Data(json.utf8)) == [text], "JSON changes a text")
            if let first = CSV.inert(text).unicodeScalars.first, "=@\t\r\n".unicodeScalars.contains(first) {
                throw Finding(description: "a cell is a formula: \(text.debugDescription)")
            }
        }

        private static func require(_ condition: Bool, _ what: String) throws {
            if !condition { throw Finding(description: what) }
        }
    }

    extension Escaping {
        /// Returns the characters of `output` that a terminal would obey or not show; empty if there are none.
        ///
        /// Line feeds and tabs are permitted, because the command itself writes them.
        static func obeyed(in output: String) -> [String] {
            output.unicodeScalars.filter { $0 != "\n" && $0 != "\t" && Escaping.isUnsafe($0) }
                .map { String($0.value, radix: 16) }
        }
    }
#endif
