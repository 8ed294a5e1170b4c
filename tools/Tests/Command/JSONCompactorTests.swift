import Testing

@testable import ShaleCommand

@Suite struct JSONCompactorTests {
    private func compact(_ text: String) throws -> String {
        String(decoding: try JSONCompactor(Array(text.utf8)).output, as: UTF8.self)
    }

    @Test(arguments: [
        (" { \"a\" : [ 1 , -2.5e+3 , true , null ] , \"b\" : { } } ", #"{"a":[1,-2.5e+3,true,null],"b":{}}"#),
        ("\t[ ]\n", "[]"), ("0", "0"), (#""a b\u00e9\n""#, #""a b\u00e9\n""#), ("\"é\"", "\"é\""),
    ])
    func whiteSpaceOutsideStringsGoesAndNothingElse(_ text: String, _ expected: String) throws {
        #expect(try compact(text) == expected)
    }

    @Test(arguments: [
        "", " ", "{", "[1,]", "{\"a\"}", "{\"a\":}", "{a:1}", "01", "1.", "-", ".5", "1e", "tru", "\"a", "\"\\x\"",
        "\"\\u12g4\"",
        "\"\n\"", "1 2", "[1 2]", "{\"a\":1,}", "]", "nul", "+1", "'a'",
    ])
    func textThatIsNotJSONIsRefused(_ text: String) {
        #expect(throws: JSONCompactor.Problem.self) { try compact(text) }
    }

    @Test func nestingIsBounded() throws {
        let deep = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        #expect(try compact(deep(InputLimits.depth)) == deep(InputLimits.depth))
        #expect(throws: JSONCompactor.Problem.self) { try compact(deep(InputLimits.depth + 1)) }
        #expect(throws: JSONCompactor.Problem.self) { try compact(deep(1_000_000)) }
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        #expect(throws: JSONCompactor.Problem.self) { try JSONCompactor([0x22, 0xc3, 0x22]) }
    }

    @Test func membersAreFoundWithTheirNamesUnescaped() throws {
        let compact = try JSONCompactor(Array(#"{ "a\u0062\ud83d\ude00\/" : { "x" : 1 } , "c" : "d" }"#.utf8))
        #expect(compact.members.map { String(decoding: $0.name, as: UTF8.self) } == ["ab😀/", "c"])
        #expect(
            compact.members.map { String(decoding: compact.output[$0.value], as: UTF8.self) } == [#"{"x":1}"#, #""d""#])
    }
}
