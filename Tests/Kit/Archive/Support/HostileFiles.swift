import Foundation
import ShaleFoundation

/// Files that expand to much more than their size.
enum HostileFiles {
    /// Returns a binary property list of these objects, each with its marker. The last object is the root.
    private static func list(_ objects: [Data]) -> Data {
        var list = Data("bplist00".utf8)
        var table = Data()
        for object in objects {
            table.append(bigEndian: UInt32(list.count))
            list.append(object)
        }
        let tableOffset = list.count
        list.append(table)
        list.append(contentsOf: [0, 0, 0, 0, 0, 0, 4, 2])
        for number in [objects.count, objects.count - 1, tableOffset] { list.append(bigEndian: UInt64(number)) }
        return list
    }

    private static func sized(_ kind: UInt8, _ count: Int) -> Data {
        var data = Data([kind << 4 | 0x0f, 0x12])
        data.append(bigEndian: UInt32(count))
        return data
    }

    private static func text(_ text: String) -> Data { sized(5, text.utf8.count) + Data(text.utf8) }

    private static func dictionary(_ members: [(key: UInt16, value: UInt16)]) -> Data {
        var data = sized(0xd, members.count)
        for member in members { data.append(bigEndian: member.key) }
        for member in members { data.append(bigEndian: member.value) }
        return data
    }

    /// Returns a dictionary with an array whose elements are all the same data.
    static func sharedData(references: Int, bytes: Int) -> Data {
        var array = sized(0xa, references)
        for _ in 0..<references { array.append(bigEndian: UInt16(0)) }
        return list([sized(4, bytes) + Data(count: bytes), array, text("a"), dictionary([(2, 1)])])
    }

    /// Returns a keyed archive of an array whose elements are all the same data.
    static func sharedArchivedData(references: Int, bytes: Int) -> Data {
        func uid(_ number: UInt8) -> Data { Data([0x80, number]) }
        var elements = sized(0xa, references)
        for _ in 0..<references { elements.append(bigEndian: UInt16(2)) }
        var objects: [Data] = [text("$null"), sized(4, bytes) + Data(count: bytes), uid(1), elements]
        func add(_ object: Data) -> UInt16 {
            objects.append(object)
            return UInt16(objects.count - 1)
        }
        let classes = sized(0xa, 2) + Data([0, UInt8(add(text("NSArray"))), 0, UInt8(add(text("NSObject")))])
        let classList = add(classes)
        let description = add(
            dictionary([(add(text("$classname")), 4), (add(text("$classes")), classList)]))
        // Objects: 0 is $null, 1 the array, 2 the data, 3 the class.
        let array = add(dictionary([(add(text("$class")), add(uid(3))), (add(text("NS.objects")), 3)]))
        var all = sized(0xa, 4)
        for object in [0, array, 1, description] as [UInt16] { all.append(bigEndian: object) }
        // The UID of an element is that of the data.
        objects[2] = uid(2)
        let list = add(all)
        let top = add(dictionary([(add(text("root")), add(uid(1)))]))
        let version = add(Data([0x12, 0, 1, 0x86, 0xa0]))
        objects.append(
            dictionary([
                (add(text("$archiver")), add(text("NSKeyedArchiver"))), (add(text("$version")), version),
                (add(text("$objects")), list), (add(text("$top")), top),
            ]))
        return Self.list(objects)
    }

    /// Returns a list whose table refers to one object many times.
    static func largeTable(objects: Int) -> Data {
        var list = Data("bplist00".utf8) + Data([0x09])
        let tableOffset = list.count
        list.append(Data(repeating: 8, count: objects))
        list.append(contentsOf: [0, 0, 0, 0, 0, 0, 1, 4])
        for number in [objects, 0, tableOffset] { list.append(bigEndian: UInt64(number)) }
        return list
    }

    private static func repeated(_ head: String, _ text: String, _ bytes: Int, _ tail: String) -> Data {
        var data = Data(head.utf8)
        var piece = Data()
        while piece.count < 1 << 20 { piece.append(contentsOf: text.utf8) }
        while data.count + piece.count < bytes { data.append(piece) }
        return data + Data(tail.utf8)
    }

    static func xml(_ element: String, bytes: Int) -> Data {
        repeated(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\"><dict><key>a</key><array>", element,
            bytes, "</array></dict></plist>")
    }

    /// A text of nested XML entities, each of which repeats the previous one ten times.
    static var xmlEntities: Data {
        var text = "<?xml version=\"1.0\"?>\n<!DOCTYPE plist [<!ENTITY e0 \"\(String(repeating: "x", count: 1000))\">\n"
        for level in 1...9 {
            text += "<!ENTITY e\(level) \"\(String(repeating: "&e\(level - 1);", count: 10))\">\n"
        }
        return Data((text + "]><plist version=\"1.0\"><dict><key>a</key><string>&e9;</string></dict></plist>").utf8)
    }

    static func json(_ element: String, bytes: Int) -> Data { repeated("[", element, bytes, "1]") }
}

extension Data {
    fileprivate mutating func append<T: FixedWidthInteger>(bigEndian value: T) {
        for shift in stride(from: T.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> T(shift)))
        }
    }
}

extension Store {
    /// Stores a JSON document without the checks of a setter, as a hostile store contains it.
    func plantJSON(_ text: Data, forKey key: String) throws {
        try common["n"].set(true, forKey: key)
        guard let id = engine.namespace(named: [1, 1, 0] + Array("n".utf8))?.id else { return }
        let value = [16, 0] + [UInt8](text)
        try unsafe engine.put(value.span.bytes, forKey: Array(key.utf8).span.bytes, in: id)
    }
}
