import Foundation
import Testing

@testable import ShaleCommand

@Suite struct StanzaReaderTests {
    let shape = RecordShape(
        keyFields: ["Package", "Version"], separator: "/", purgeableField: "Description")

    @Test func aStanzaBecomesAnObjectOfItsFieldsInTheirOrder() throws {
        let records = try Sandbox().records(
            "Package: a\nVersion: 1\nSection: x \"y\"\n\nVersion: 2\nPackage: b\n", .control, shape)
        #expect(records.map { String(decoding: $0.key, as: UTF8.self) } == ["a/1", "b/2"])
        #expect(text(records[0].value) == #"{"Package":"a","Version":"1","Section":"x \"y\""}"#)
        #expect(text(records[1].value) == #"{"Version":"2","Package":"b"}"#)
        #expect(records.allSatisfy { $0.purgeable == nil })
    }

    @Test func continuationLinesBelongToTheirFieldAsTheyAre() throws {
        let records = try Sandbox().records(
            "Package: a\nDescription: short\n long\n .\n\tmore\nVersion: 1\n", .control, shape)
        #expect(records.count == 1)
        #expect(records[0].purgeable == .string("short\n long\n .\n\tmore"))
        #expect(text(records[0].value) == #"{"Package":"a","Version":"1"}"#)
    }

    @Test func blankLinesAroundStanzasAndCarriageReturnsDoNotMatter() throws {
        let records = try Sandbox().records(
            "\n\nPackage: a\r\nVersion: 1\r\n\r\n\n\nPackage: b\nVersion: 1", .control, shape)
        #expect(records.map { String(decoding: $0.key, as: UTF8.self) } == ["a/1", "b/1"])
    }

    @Test(arguments: [
        "Package: a\n\n", " continued\nPackage: a\nVersion: 1\n", "no colon\n", ": nameless\n",
        "Package: a/b\nVersion: 1\n",
    ])
    func malformedStanzasAreRefused(_ text: String) throws {
        #expect(throws: ToolFailure.self) { try Sandbox().records(text, .control, shape) }
    }

    @Test func aStanzaThatIsNotUTF8IsRefused() throws {
        let sandbox = try Sandbox()
        let file = try sandbox.write(.init("Package: a\nVersion: 1\nX: ".utf8) + [0xff, 0x0a], to: "latin")
        #expect(throws: ToolFailure.self) { try sandbox.records(of: file, .control, shape) }
    }

    @Test func stanzasOverTheEdgesOfReadsStayWhole() throws {
        let filler = String(repeating: "x", count: 1000)
        let text = (0..<2000).map { "Package: p\($0)\nVersion: 1\nFiller: \(filler)\n\n" }.joined()
        let records = try Sandbox().records(text, .control, shape)
        #expect(records.count == 2000)
        for (index, record) in records.enumerated() {
            #expect(
                ShaleCommandTests.text(record.value) == #"{"Package":"p\#(index)","Version":"1","Filler":"\#(filler)"}"#
            )
        }
    }
}
