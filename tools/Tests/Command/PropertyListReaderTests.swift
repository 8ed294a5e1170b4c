import Foundation
import Shale
import Testing

@testable import ShaleCommand

@Suite struct PropertyListReaderTests {
    private func list(_ value: Any, _ format: PropertyListSerialization.PropertyListFormat) throws -> Data {
        try PropertyListSerialization.data(fromPropertyList: value, format: format, options: 0)
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func membersOfADictionaryBecomeEntriesOfTheirOwnTypes(
        _ format: PropertyListSerialization.PropertyListFormat
    ) throws {
        let sandbox = try Sandbox()
        let moment = Date(timeIntervalSince1970: 1_700_000_000)
        let value: [String: Any] = [
            "a": "text", "b": 42, "c": 1.5, "d": true, "e": Data([1, 2]), "f": moment, "g": ["x": [1, "y"]],
        ]
        let file = try sandbox.write(try list(value, format), to: "list.plist")
        let records = try sandbox.records(of: file, .plist, RecordShape(keyFields: []))
        #expect(records.map { String(decoding: $0.key, as: UTF8.self) } == ["a", "b", "c", "d", "e", "f", "g"])
        #expect(
            records.map(\.value) == [
                .string("text"), .integer(42), .double(1.5), .boolean(true), .data(Data([1, 2])), .date(moment),
                .propertyList(.dictionary(["x": .array([.int(1), .string("y")])])),
            ])
    }

    @Test func dictionariesOfAnArrayBecomeEntriesUnderTheirKeyField() throws {
        let sandbox = try Sandbox()
        let file = try sandbox.write(
            try list([["id": 7, "note": "n", "v": true], ["id": "b", "v": false]], .binary), to: "list.plist")
        let shape = RecordShape(keyFields: ["id"], purgeableField: "note")
        let records = try sandbox.records(of: file, .plist, shape)
        #expect(records.map { String(decoding: $0.key, as: UTF8.self) } == ["7", "b"])
        #expect(records.map(\.purgeable) == [.string("n"), nil])
        #expect(records[0].value == .propertyList(.dictionary(["id": .int(7), "v": .bool(true)])))
        #expect(throws: ToolFailure.self) { try sandbox.records(of: file, .plist, RecordShape(keyFields: [])) }
    }

    @Test func textThatIsNoPropertyListIsRefused() throws {
        for text in ["", "hello", "{ a = b; }", "<html/>", "bplist00", "bplist00" + String(repeating: "x", count: 64)] {
            #expect(throws: ToolFailure.self, "\(text)") {
                try Sandbox().records(text, .plist, RecordShape(keyFields: []))
            }
        }
    }

    @Test func deepNestingIsRefusedBeforeItIsDecoded() throws {
        let open = String(repeating: "<array>", count: 100_000)
        let close = String(repeating: "</array>", count: 100_000)
        #expect(throws: ToolFailure.self) {
            try Sandbox().records("<plist>\(open)\(close)</plist>", .plist, RecordShape(keyFields: []))
        }
    }

    @Test func setsCyclesAndPlacesOutsideTheFileAreRefused() throws {
        // An array whose only element is itself; a set; an array whose element lies behind the table.
        for object in [[0xa1, 0x00], [0xc0], [0xa1, 0x05]] as [[UInt8]] {
            var bytes = Array("bplist00".utf8) + object
            let table = bytes.count
            bytes += [8] + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 0, 0, 0]
            bytes += [0, 0, 0, 0, 0, 0, 0, UInt8(table)]
            #expect(throws: StorageError.self, "\(object)") { try PropertyListReader.check(bytes) }
        }
    }

    @Test func damagedBinaryListsEndInAnErrorOrInAListNeverInACrash() throws {
        let sandbox = try Sandbox()
        let sound = try list(["a": ["b": [1, 2.5, "c"], "d": Data(count: 40)], "e": Date()], .binary)
        for index in sound.indices {
            for flip in [0x01, 0x10, 0x80, 0xff] as [UInt8] {
                var bytes = sound
                bytes[index] ^= flip
                let file = try sandbox.write(bytes, to: "damaged.plist")
                do {
                    _ = try sandbox.records(of: file, .plist, RecordShape(keyFields: []))
                } catch is ToolFailure {
                    continue
                }
            }
        }
    }
}
