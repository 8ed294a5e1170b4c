import Foundation
import Shale
import Testing

@testable import ShaleCommand

@Suite struct DumpCommandTests {
    private func filled() throws -> Sandbox {
        let sandbox = try Sandbox()
        let store = try Store(at: sandbox.store)
        let first = store.common["a"]
        for number in 0..<500 { try first.set("text \(number)", forKey: "key \(number)") }
        try first.set(Data([0, 1, 0xff]), forKey: "data", options: [.purgeable])
        try first.set(7, forKey: "seven", options: [.expires(after: .seconds(2 * 86_400))])
        try first.set(["x": 1.5], forKey: "tree")
        try store.user("me")["b"].child("c").set(true, forKey: "yes")
        try store.close()
        return sandbox
    }

    @Test func aDumpIsLoadedIntoAnEqualStore() throws {
        let sandbox = try filled()
        let dump = try sandbox.shale("dump", sandbox.store, "-q")
        #expect(dump.status == 0 && dump.errors.isEmpty)
        let loaded = try sandbox.shale("load", "\(sandbox.path)/new", "--json", input: dump.output)
        #expect(loaded.status == 0)
        #expect(try loaded.json()["entries"] as? Int == 504)
        #expect(try sandbox.shale("dump", "\(sandbox.path)/new", "-q").output == dump.output)
        let store = try Store(at: "\(sandbox.path)/new")
        #expect(try store.user("me")["b"].child("c").value(forKey: "yes", as: Bool.self) == true)
        #expect(try store.common["a"].info(forKey: "data")?.isPurgeable == true)
        try store.close()
    }

    @Test func inputThatIsNoDumpIs65NamesTheLineAndMakesNoStore() throws {
        let sandbox = try Sandbox()
        let done = try sandbox.shale("load", sandbox.store, input: "{\"shaleDump\":1,\"nextNamespace\":1}\n{}\n")
        #expect(done.status == 65)
        #expect(done.errors.contains("line 2"))
        #expect(try sandbox.shale("stats", sandbox.store).status != 0)
    }

    @Test func aCopyShowsTheSame() throws {
        let sandbox = try filled()
        let done = try sandbox.shale(
            "copy", sandbox.store, "--into", "\(sandbox.path)/new", "--compression", "zstd:9", "--json")
        #expect(try done.json()["entries"] as? Int == 504)
        #expect(
            try sandbox.shale("dump", "\(sandbox.path)/new", "-q").output
                == sandbox.shale("dump", sandbox.store, "-q").output)
        #expect(try sandbox.shale("copy", sandbox.store, "--into", "x", "--compression", "zstd:40").status == 64)
    }
}
