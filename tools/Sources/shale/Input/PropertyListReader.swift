@_spi(Command) import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the entries of a property list. A dictionary's members become entries of their own types under their names, as
/// in a preferences file. With key fields, the dictionaries of an array become entries under those fields.
///
/// Property lists can't be read piece by piece: the file is in memory, up to ``InputLimits``.
struct PropertyListReader: RecordReader {
    private let name: String
    private let shape: RecordShape
    private var pending: [(name: String?, value: StructuredValue)]
    private var position = 0

    init(_ stream: ByteStream, shape: RecordShape) throws {
        name = stream.name
        self.shape = shape
        var bytes: [UInt8] = []
        while try stream.read(into: &bytes) {
            guard bytes.count <= InputLimits.propertyListBytes else {
                throw ToolFailure.badInput("\(name) is longer than \(InputLimits.propertyListBytes) bytes")
            }
        }
        // Decoders have crashed on hostile files, so everything that they trust is checked first.
        do throws(StorageError) {
            try PropertyListReader.check(bytes)
        } catch {
            throw ToolFailure.badInput("\(name): \(error.message)")
        }
        let list: StructuredValue
        do {
            list = try PropertyListDecoder().decode(StructuredValue.self, from: Data(bytes))
        } catch {
            // The decoder's message may contain data that it has read.
            throw ToolFailure.badInput("\(name) is not a property list that can be decoded")
        }
        switch list {
        case .dictionary(let members):
            pending = members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        case .array(let elements):
            guard !shape.keyFields.isEmpty else {
                throw ToolFailure.usage("\(name) is an array: name the field that is the key with --key")
            }
            pending = elements.map { (nil, $0) }
        default:
            throw ToolFailure.badInput("\(name) is neither a dictionary nor an array")
        }
    }

    /// Throws unless `bytes` are a binary or XML property list within ``InputLimits`` that is safe to decode.
    static func check(_ bytes: [UInt8]) throws(StorageError) {
        try PropertyListCheck.check(
            unsafe bytes.span.bytes, depthMax: InputLimits.depth, objectsMax: InputLimits.propertyListObjects)
    }

    mutating func next(_ record: inout Record) throws -> Bool {
        guard position < pending.count else { return false }
        let (memberName, value) = pending[position]
        position += 1
        record.purgeable = nil
        if let memberName {
            record.key = Array(memberName.utf8)
            record.value = value.imported
            return true
        }
        let place = "\(name): element \(position)"
        guard case .dictionary(var members) = value else {
            throw ToolFailure.badInput("\(place) is not a dictionary")
        }
        record.key = try shape.key(shape.keyFields.map { members[$0]?.keyText }, at: place)
        if let field = shape.purgeableField { record.purgeable = members.removeValue(forKey: field)?.imported }
        record.value = .propertyList(.dictionary(members))
        return true
    }
}

extension StructuredValue {
    /// The value as an import stores it: scalars keep their types, trees stay property lists.
    fileprivate var imported: ImportedValue {
        switch self {
        case .string(let value): .string(value)
        case .int(let value): .integer(value)
        case .double(let value): .double(value)
        case .bool(let value): .boolean(value)
        case .data(let value): .data(value)
        case .date(let value): .date(value)
        case .null, .unsigned, .array, .dictionary: .propertyList(self)
        }
    }

    fileprivate var keyText: [UInt8]? {
        switch self {
        case .string(let value): Array(value.utf8)
        case .int(let value): Array(String(value).utf8)
        default: nil
        }
    }
}
