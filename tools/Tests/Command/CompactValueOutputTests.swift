import Shale
import Testing

@testable import ShaleCommand

/// Compact documents in the command's answers.
@Suite struct CompactValueOutputTests {
    private struct Reading: Codable {
        var sensor = "é"
        var values = [1, nil, 0.5]
        var isOpen = true
    }

    @Test func compactValuesAreShownAsJSON() throws {
        let sandbox = try Sandbox()
        let store = try Store(at: sandbox.store)
        try store.common["n"].set(Reading(), forKey: "plain", as: .compact)
        try store.common["n"].set(Reading(), forKey: "versioned", using: VersionedCodec(Reading.self, as: .compact))
        try store.close()
        let text = #"{"isOpen":true,"sensor":"é","values":[1,null,0.5]}"# + "\n"
        #expect(try sandbox.shale("get", sandbox.store, "n", "plain").output == text)
        #expect(try sandbox.shale("get", sandbox.store, "n", "versioned").output == text)
        let entry = try sandbox.shale("get", sandbox.store, "n", "plain", "--json").json()["entry"] as? [String: Any]
        #expect(entry?["type"] as? String == "compact")
    }

    @Test func compactValuesSurviveADumpAndALoad() throws {
        let sandbox = try Sandbox()
        let store = try Store(at: sandbox.store)
        try store.common["n"].set(Reading(), forKey: "k", as: .compact)
        try store.close()
        let dump = try sandbox.shale("dump", sandbox.store, "-q").output
        let copy = sandbox.path + "/copy"
        #expect(try sandbox.shale("load", copy, input: dump).status == 0)
        #expect(try sandbox.shale("dump", copy, "-q").output == dump)
        #expect(try sandbox.shale("verify", copy).status == 0)
        let shown = try sandbox.shale("get", copy, "n", "k").output
        #expect(try shown == sandbox.shale("get", sandbox.store, "n", "k").output && shown.contains("sensor"))
    }
}
