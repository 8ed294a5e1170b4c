import ArgumentParser
import Shale

/// The formats of an import's input.
enum InputFormat: String, CaseIterable, ExpressibleByArgument {
    case ndjson
    case json
    case control
    case plist
    case csv

    /// Returns the format that a file's name suggests.
    static func guess(_ path: String) -> InputFormat? {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let suffixes: [(String, InputFormat)] = [
            (".ndjson", .ndjson), (".jsonl", .ndjson), (".json", .json), (".plist", .plist),
            (".csv", .csv), (".tsv", .csv),
        ]
        if let format = suffixes.first(where: { name.hasSuffix($0.0) })?.1 { return format }
        return name.contains("Packages") || name.contains("Translation-") || name == "status" ? .control : nil
    }
}

/// The input of an import and the rules for making entries from it. The same input always gives the same batches.
struct ImportInput {
    var files: [String]
    var format: InputFormat
    var shape: RecordShape
    var csv = CSVShape()
    /// The member of a JSON object that is the array to read.
    var arrayName: String?
    /// The maximum number of records in a batch. A batch also ends when it reaches 4 MiB.
    var batchRecords = 512

    func batches() -> BatchReader { BatchReader(self) }

    func open(_ file: String) throws -> (reader: any RecordReader, stream: ByteStream) {
        let stream = try ByteStream(path: file)
        switch format {
        case .ndjson: return (JSONLinesReader(stream, shape: shape), stream)
        case .json: return (JSONArrayReader(stream, arrayName: arrayName, shape: shape), stream)
        case .control: return (StanzaReader(stream, shape: shape), stream)
        case .plist: return (try PropertyListReader(stream, shape: shape), stream)
        case .csv: return (CSVReader(stream, shape: shape, csv: csv), stream)
        }
    }
}

/// Reads the records of an import's files in batches. Memory: one batch.
struct BatchReader {
    private static let batchBytesMax = 4 << 20

    private let input: ImportInput
    private var nextFile = 0
    private var current: (reader: any RecordReader, stream: ByteStream)?
    /// The bytes of the files that were read to their ends.
    private var finishedBytes: UInt64 = 0

    init(_ input: ImportInput) { self.input = input }

    /// The bytes of input read so far, decompressed.
    var readBytes: UInt64 { finishedBytes + (current?.stream.readBytes ?? 0) }

    /// Returns the next batch; `nil` at the end of the last file.
    mutating func next() throws -> [Record]? {
        var batch: [Record] = []
        var bytes = 0
        var record = Record()
        while batch.count < input.batchRecords, bytes < Self.batchBytesMax, try read(&record) {
            batch.append(record)
            bytes += record.key.count + record.value.approximateBytes + (record.purgeable?.approximateBytes ?? 0)
        }
        return batch.isEmpty ? nil : batch
    }

    private mutating func read(_ record: inout Record) throws -> Bool {
        while true {
            if try current?.reader.next(&record) == true { return true }
            finishedBytes += current?.stream.readBytes ?? 0
            current = nil
            guard nextFile < input.files.count else { return false }
            current = try input.open(input.files[nextFile])
            nextFile += 1
        }
    }
}

extension StructuredValue {
    fileprivate var approximateBytes: Int {
        switch self {
        case .string(let text): 16 + text.utf8.count
        case .data(let bytes): 16 + bytes.count
        case .array(let elements): elements.reduce(16) { $0 + $1.approximateBytes }
        case .dictionary(let members): members.reduce(16) { $0 + 16 + $1.key.utf8.count + $1.value.approximateBytes }
        default: 16
        }
    }
}

extension ImportedValue {
    fileprivate var approximateBytes: Int {
        switch self {
        case .json(let text): text.count
        case .string(let text): text.utf8.count
        case .data(let bytes): bytes.count
        case .integer, .double, .boolean, .date: 8
        case .propertyList(let tree): tree.approximateBytes
        }
    }
}
