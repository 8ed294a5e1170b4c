import Testing

@testable import ShaleCommand

@Suite struct JSONReaderTests {
    let shape = RecordShape(keyFields: ["id"])

    private func keys(_ records: [Record]) -> [String] { records.map { String(decoding: $0.key, as: UTF8.self) } }

    @Test(arguments: [
        #"[{"id":1},{"id":"b"}]"#, #" [ {"id":1} , {"id":"b"} ] "#, #"{"list":[{"id":1},{"id":"b"}]}"#,
        #"{"title":"[x]\"","n":{"deep":[9]},"list":[{"id":1},{"id":"b"}],"end":null}"#,
    ])
    func anArrayIsFoundAsTheTextAndAsAMember(_ text: String) throws {
        let records = try Sandbox().records(text, .json, shape)
        #expect(keys(records) == ["1", "b"])
        #expect(records.map { ShaleCommandTests.text($0.value) } == [#"{"id":1}"#, #"{"id":"b"}"#])
    }

    @Test func oneOfSeveralArraysIsChosenByItsName() throws {
        let text = #"{"a":[{"id":1}],"b":[{"id":2}]}"#
        #expect(try keys(Sandbox().records(text, .json, shape, array: "b")) == ["2"])
        #expect(throws: ToolFailure.self) { try Sandbox().records(text, .json, shape) }
        #expect(throws: ToolFailure.self) { try Sandbox().records(text, .json, shape, array: "c") }
    }

    @Test func anEmptyArrayHasNoRecords() throws {
        #expect(try Sandbox().records("[ ]", .json, shape).isEmpty)
        #expect(try Sandbox().records("", .ndjson, shape).isEmpty)
    }

    @Test(arguments: [
        "", "1", "\"a\"", "[", "[1]", "[{\"id\":1}", "[{\"id\":1},]", "[{\"id\":1}] x", "[{\"id\":1} {\"id\":2}]", "{}",
        "{\"a\":1}", "{\"a\":[{\"id\":1}]", "{\"a\"[{\"id\":1}]}", "[{\"id\":1\"}]", "[{\"no\":1}]", "[{\"id\":tru}]",
        // Names and members that no option selects must be valid JSON too.
        #"{"\u12":[{"id":1}]}"#, #"{"\":[{"id":1}]}"#, #"{"a":tru,"list":[{"id":1}]}"#,
        #"{"a":"\ud","list":[{"id":1}]}"#,
    ])
    func malformedArraysAreRefused(_ text: String) throws {
        #expect(throws: ToolFailure.self) { try Sandbox().records(text, .json, shape) }
    }

    @Test func linesAreObjectsAndBlankLinesAreNothing() throws {
        let records = try Sandbox().records("{\"id\":\"a\"}\n\n  \r\n {\"id\" : \"b\"}", .ndjson, shape)
        #expect(keys(records) == ["a", "b"])
    }

    @Test func thePurgeableFieldIsTakenOutOfTheObject() throws {
        let shape = RecordShape(keyFields: ["id"], purgeableField: "note")
        let records = try Sandbox().records(
            "{\"id\":1,\"note\":\"a\\nb\",\"x\":2}\n{\"id\":2,\"note\":{\"y\": 1}}\n{\"id\":3}", .ndjson, shape)
        #expect(records.map { text($0.value) } == [#"{"id":1,"x":2}"#, #"{"id":2}"#, #"{"id":3}"#])
        #expect(records.map(\.purgeable) == [.string("a\nb"), .json(Array(#"{"y":1}"#.utf8)), nil])
    }

    @Test func elementsOverTheEdgesOfReadsStayWhole() throws {
        let filler = String(repeating: "é\\\"", count: 500)
        let text = "[" + (0..<1000).map { "{\"id\":\($0),\"f\":\"\(filler)\"}" }.joined(separator: ",\n") + "]"
        let records = try Sandbox().records(text, .json, shape)
        #expect(keys(records) == (0..<1000).map(String.init))
        #expect(records.allSatisfy { ShaleCommandTests.text($0.value).hasSuffix("\"f\":\"\(filler)\"}") })
    }
}
