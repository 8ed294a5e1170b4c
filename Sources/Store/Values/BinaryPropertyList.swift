import ShaleBase

/// The objects of a binary property list. Every offset, length and reference is checked; nothing is decoded.
///
/// Layout: magic `bplist00`, objects, a table of object offsets, and a trailer of 32 bytes. Trailer: at 6 the width of
/// an offset, at 7 the width of a reference, at 8, 16 and 24 object count, top object and offset of the table as
/// big-endian u64.
struct BinaryPropertyList {
    private static let trailerBytes = 32
    private static let magic = Array("bplist00".utf8)

    let bytes: Bytes
    private let offsetBytes: Int
    private let referenceBytes: Int
    let objectCount: Int
    let topObject: Int
    private let tableOffset: Int
    /// True if objects may be UIDs, which only keyed archives have.
    private let allowsUIDs: Bool

    init(_ bytes: Bytes, allowsUIDs: Bool = false) throws(ParseFailure) {
        let magic = BinaryPropertyList.magic
        guard bytes.count >= magic.count + BinaryPropertyList.trailerBytes, BinaryPropertyList.hasMagic(bytes) else {
            throw ParseFailure("the magic is missing")
        }
        let trailer = bytes.count - BinaryPropertyList.trailerBytes
        let numbers = [8, 16, 24].map { bytes.u64(at: trailer + $0).byteSwapped }
        let room = UInt64(trailer)
        offsetBytes = Int(bytes[trailer + 6])
        referenceBytes = Int(bytes[trailer + 7])
        guard 1...8 ~= offsetBytes, 1...8 ~= referenceBytes else { throw ParseFailure("an integer size is wrong") }
        guard numbers[0] >= 1, numbers[0] <= room, numbers[1] < numbers[0] else {
            throw ParseFailure("the object count is wrong")
        }
        guard numbers[2] > UInt64(magic.count), numbers[2] <= room,
            numbers[0] * UInt64(offsetBytes) == room - numbers[2]
        else { throw ParseFailure("the offset table is out of bounds") }
        self.bytes = bytes
        self.allowsUIDs = allowsUIDs
        objectCount = Int(numbers[0])
        topObject = Int(numbers[1])
        tableOffset = Int(numbers[2])
    }

    /// True if the bytes begin as a binary property list.
    static func hasMagic(_ bytes: Bytes) -> Bool {
        bytes.count >= magic.count && bytes.slice(0, magic.count).array() == magic
    }

    /// Reads a big-endian number of 1 … 8 bytes. The caller guarantees that it lies inside the bytes.
    func number(at offset: Int, width: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<width { value = value << 8 | UInt64(bytes[offset + index]) }
        return value
    }

    // MARK: Objects

    /// The references of an array or a dictionary: `count` of them from `offset`.
    struct References {
        let offset: Int
        let count: Int
        /// The number of leading references that are keys.
        let keyCount: Int

        static let none = References(offset: 0, count: 0, keyCount: 0)
    }

    func marker(_ object: Int) throws(ParseFailure) -> (offset: Int, marker: UInt8) {
        let offset = number(at: tableOffset + object * offsetBytes, width: offsetBytes)
        guard offset >= UInt64(BinaryPropertyList.magic.count), offset < UInt64(tableOffset) else {
            throw ParseFailure("an object is out of bounds")
        }
        return (Int(offset), bytes[Int(offset)])
    }

    /// Checks one object by itself and returns its references.
    func references(of object: Int) throws(ParseFailure) -> References {
        let (offset, marker) = try marker(object)
        let low = Int(marker & 0x0f)
        switch marker >> 4 {
        case 0x0:
            guard marker == 0x08 || marker == 0x09 else { throw ParseFailure("an object is of unknown kind") }
            return .none
        case 0x1: return try scalar(offset, log2: low, 0...4)
        case 0x2: return try scalar(offset, log2: low, 2...3)
        case 0x3: return try date(offset, low)
        case 0x4, 0x5: return try sized(offset, low, unit: 1)
        case 0x6: return try sized(offset, low, unit: 2)
        case 0x8 where allowsUIDs: return try uid(offset, low)
        case 0xa: return try container(offset, low, isDictionary: false)
        case 0xd: return try container(offset, low, isDictionary: true)
        default: throw ParseFailure("an object is of unknown kind")
        }
    }

    /// Returns the number of bytes of a string or data; 0 for other objects. The object has been checked.
    func contentBytes(of object: Int) throws(ParseFailure) -> Int {
        let (offset, marker) = try marker(object)
        switch marker >> 4 {
        case 0x4, 0x5: return try length(offset, Int(marker & 0x0f)).count
        case 0x6: return 2 * (try length(offset, Int(marker & 0x0f)).count)
        default: return 0
        }
    }

    private func scalar(_ offset: Int, log2: Int, _ allowed: ClosedRange<Int>) throws(ParseFailure) -> References {
        guard allowed ~= log2 else { throw ParseFailure("a number has an unknown size") }
        try requireRoom(offset + 1, 1 << log2)
        return .none
    }

    /// Rejects a date that is not a number: Foundation ends the process when it describes one.
    private func date(_ offset: Int, _ low: Int) throws(ParseFailure) -> References {
        _ = try scalar(offset, log2: low, 3...3)
        guard !Double(bitPattern: number(at: offset + 1, width: 8)).isNaN else {
            throw ParseFailure("a date is not a number")
        }
        return .none
    }

    private func uid(_ offset: Int, _ low: Int) throws(ParseFailure) -> References {
        guard low < 8 else { throw ParseFailure("a UID has an unknown size") }
        try requireRoom(offset + 1, low + 1)
        return .none
    }

    private func sized(_ offset: Int, _ low: Int, unit: Int) throws(ParseFailure) -> References {
        let (start, count) = try length(offset, low)
        try requireRoom(start, count * unit)
        return .none
    }

    private func container(_ offset: Int, _ low: Int, isDictionary: Bool) throws(ParseFailure) -> References {
        let (start, count) = try length(offset, low)
        let total = isDictionary ? 2 * count : count
        try requireRoom(start, total * referenceBytes)
        return References(offset: start, count: total, keyCount: isDictionary ? count : 0)
    }

    /// Returns the length of a string, data or container and the start of its content. The length is at most the size
    /// of the property list, so sums and products with it don't overflow.
    func length(_ offset: Int, _ low: Int) throws(ParseFailure) -> (start: Int, count: Int) {
        guard low == 0x0f else { return (offset + 1, low) }
        try requireRoom(offset + 1, 1)
        let marker = bytes[offset + 1]
        guard marker >> 4 == 0x1, marker & 0x0f <= 3 else { throw ParseFailure("a length is not a number") }
        let width = 1 << Int(marker & 0x0f)
        try requireRoom(offset + 2, width)
        let count = number(at: offset + 2, width: width)
        guard count <= UInt64(tableOffset) else { throw ParseFailure("a length is out of bounds") }
        return (offset + 2 + width, Int(count))
    }

    private func requireRoom(_ offset: Int, _ length: Int) throws(ParseFailure) {
        guard offset <= tableOffset, length <= tableOffset - offset else {
            throw ParseFailure("an object is cut short")
        }
    }

    /// Returns the object of the `index`-th reference.
    func target(_ references: References, _ index: Int) throws(ParseFailure) -> Int {
        let target = number(at: references.offset + index * referenceBytes, width: referenceBytes)
        guard target < UInt64(objectCount) else { throw ParseFailure("a reference is out of bounds") }
        if index < references.keyCount {
            let kind = try marker(Int(target)).marker >> 4
            guard kind == 0x5 || kind == 0x6 else { throw ParseFailure("a dictionary key is not a string") }
        }
        return Int(target)
    }
}

/// Checks that bytes are a binary property list which is safe for Foundation's parser.
///
/// The parser ends the process on object kinds that it does not expect (sets) and treats bytes without the magic as a
/// text format. It follows references without detecting cycles, and expands a shared object once for each reference.
/// The check therefore covers every object of the table: kinds, lengths, offsets and references in bounds, dictionary
/// keys that are strings, no cycle, a bounded depth and a bounded size after expansion. It uses no recursion.
///
/// - Complexity: O(objects + references).
enum BinaryPropertyListChecker {
    /// The maximum nesting of arrays and dictionaries.
    static let depthMax = 256
    /// The maximum number of objects after every reference has been followed.
    static let expandedObjectsMax = 1 << 22

    /// Throws `.corruption` if `payload` fails the check.
    static func check(_ payload: RawSpan) throws(StorageError) {
        try unsafe payload.withUnsafeBytes { (buffer) throws(StorageError) in
            do throws(ParseFailure) {
                let list = try BinaryPropertyList(unsafe Bytes(buffer))
                try ReferenceCheck.run(list, depthMax: depthMax, expandedMax: expandedObjectsMax)
            } catch {
                throw .corruption("a stored property list is not valid: \(error.reason)")
            }
        }
    }
}

extension BinaryPropertyList: ReferenceGraph {
    var nodeCount: Int { objectCount }
    func count(_ references: References) -> Int { references.count }
}
