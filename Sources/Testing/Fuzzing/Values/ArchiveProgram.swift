import Foundation
import Shale
import ShaleBase
import ShaleFoundation

/// Makes keyed archives from arbitrary bytes: objects of classes that the reader knows, with known fields that refer to
/// each other, or to nothing, by number. Random bytes would hardly ever form an archive.
struct ArchiveProgram {
    /// The first byte of an input that is not a program.
    static let rawMark: UInt8 = 255

    private static let classNames = [
        "_ShaleFuzzing.FuzzNode", "_ShaleFuzzing.FuzzLeaf", "NSArray", "NSMutableArray", "NSSet", "NSMutableSet",
        "NSOrderedSet", "NSDictionary", "NSMutableDictionary", "NSString", "NSMutableString", "NSData", "NSMutableData",
        "NSNumber", "NSDate", "NSURL", "NSUUID", "NSNull", "NSObject", "Other",
    ]
    private static let fieldNames =
        FuzzNode.fields + [
            "NS.objects", "NS.keys", "NS.string", "NS.bytes", "NS.data", "NS.intval", "NS.dblval", "NS.boolval",
            "NS.number", "NS.time", "NS.base", "NS.relative", "NS.uuidbytes", "NS.object.0", "NS.object.1", "$class",
        ]
    private static let objectsMax = 64

    private var rest: ArraySlice<UInt8>

    /// Returns the archive's bytes; `nil` if no property list can express it.
    static func archive(_ input: [UInt8]) -> [UInt8]? {
        var program = ArchiveProgram(rest: input[...])
        let list = program.list()
        do {
            return try BinaryPropertyListWriter.bytes(list)
        } catch {
            // The list is nested too deeply for the writer.
            return nil
        }
    }

    private mutating func byte() -> Int { Int(rest.popFirst() ?? 0) }

    /// Builds the objects in order, followed by the class descriptions.
    private mutating func list() -> ArchivePart {
        let root = byte()
        var objects: [[String: ArchivePart]?] = []
        var values: [Int: ArchivePart] = [:]
        var classes: [Int] = []
        while !rest.isEmpty, objects.count < ArchiveProgram.objectsMax {
            let kind = byte()
            if kind & 1 == 0 {
                let name = kind / 2 % ArchiveProgram.classNames.count
                if !classes.contains(name) { classes.append(name) }
                objects.append(fields(["$class": .value(.int(Int64(name)))]))
            } else {
                values[objects.count] = value(kind / 2, 0)
                objects.append(nil)
            }
        }
        var parts: [ArchivePart] = [.value(.string("$null"))]
        for (number, object) in objects.enumerated() {
            guard var members = object else {
                parts.append(values[number] ?? .value(.bool(false)))
                continue
            }
            // A number selects the class description, unless the program put another value there.
            if case .value(.int(let name))? = members["$class"], let place = classes.firstIndex(of: Int(name)) {
                members["$class"] = .reference(objects.count + 1 + place)
            }
            parts.append(.dictionary(members))
        }
        for name in classes {
            parts.append(
                .dictionary([
                    "$classname": .value(.string(ArchiveProgram.classNames[name])),
                    "$classes": .array([.value(.string(ArchiveProgram.classNames[name]))]),
                ]))
        }
        return .dictionary([
            "$archiver": .value(.string("NSKeyedArchiver")), "$version": .value(.int(100_000)),
            "$top": .dictionary(["root": .reference(root % (parts.count + 1))]), "$objects": .array(parts),
        ])
    }

    private mutating func fields(_ start: [String: ArchivePart]) -> [String: ArchivePart] {
        var members = start
        for _ in 0..<(byte() % 8) {
            let name = ArchiveProgram.fieldNames[byte() % ArchiveProgram.fieldNames.count]
            members[name] = value(byte(), 0)
        }
        return members
    }

    private mutating func value(_ kind: Int, _ depth: Int) -> ArchivePart {
        switch kind % 11 {
        case 0, 1, 2: return .reference(byte())
        case 3: return .array((0..<(byte() % 6)).map { _ in .reference(byte()) })
        case 4 where depth < 6: return .array((0..<(byte() % 4)).map { _ in value(byte(), depth + 1) })
        case 5 where depth < 6: return .dictionary(["k": value(byte(), depth + 1)])
        case 6: return .value(.int(Int64(byte()) &- 100))
        case 7: return .value(.double(Double(byte()) / 7))
        case 8: return .value(.data(Data((0..<(byte() % 20)).map { UInt8($0) })))
        case 9: return .value(.bool(byte() & 1 == 1))
        default: return .value(.string(String(repeating: "é", count: byte() % 12)))
        }
    }
}

/// Inputs made by real archivers, and small programs.
enum ArchiveSample {
    static func inputs() throws -> [[UInt8]] {
        let objects: [any NSObject & NSSecureCoding] = [
            FuzzNode(), FuzzLeaf(), NSArray(array: [1, "a", Data([1])]),
            NSDictionary(dictionary: ["k": [1, 2.5], 5: "v"]),
            NSOrderedSet(array: ["z", "a"]), NSURL(fileURLWithPath: "/a/b"), NSDate(timeIntervalSinceReferenceDate: 3),
        ]
        let raw = try objects.map { [ArchiveProgram.rawMark] + [UInt8](try ObjectArchive.encode($0)) }
        // A node whose `next` is a leaf; an array of two values; an object that contains itself.
        let programs: [[UInt8]] = [
            [1, 0, 1, 0, 0, 2, 2, 1, 5, 10, 4], [1, 4, 1, 16, 3, 2, 2, 3, 13, 9, 1], [1, 0, 1, 0, 0, 1],
        ]
        return raw + programs
    }
}
