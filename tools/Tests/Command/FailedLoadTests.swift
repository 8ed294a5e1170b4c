import Foundation
import Shale
import Testing

@testable import ShaleCommand

/// A failed load leaves the directory as it was: absent or empty (ShaleInspection.docc, "The command").
@Suite struct FailedLoadTests {
    private static let head = "{\"shaleDump\":1,\"nextNamespace\":2}\n{\"namespace\":1,\"path\":[\"n\"]}\n"
    private static let entry = "{\"k\":\"a\",\"c\":2,\"v\":\"x\"}\n"
    private let files = FileManager.default

    @Test(arguments: ["", "junk\n", head, head + entry, head + entry + "junk\n", head + entry + "{\"end\":2}\n"])
    func inputThatIsNoDumpMakesNothing(_ dump: String) throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.run(["load", sandbox.store], input: dump).status == 65)
        #expect(!files.fileExists(atPath: sandbox.store))
        try files.createDirectory(atPath: sandbox.store, withIntermediateDirectories: false)
        #expect(try sandbox.run(["load", sandbox.store], input: dump).status == 65)
        #expect(try files.contentsOfDirectory(atPath: sandbox.store) == [])
        #expect(try sandbox.run(["load", sandbox.store], input: Self.head + Self.entry + "{\"end\":1}\n").status == 0)
    }

    @Test func existingFilesStay() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.shale("put", sandbox.store, "n", "k", "v", "--create").status == 0)
        #expect(try sandbox.run(["load", sandbox.store], input: "junk").status == 64)
        #expect(try sandbox.shale("get", sandbox.store, "n", "k").output == "v\n")
        let other = "\(sandbox.path)/other"
        try files.createDirectory(atPath: other, withIntermediateDirectories: false)
        try sandbox.write("mine", to: "other/wal")
        _ = try sandbox.run(["load", other], input: "junk")
        #expect(try files.contentsOfDirectory(atPath: other) == ["wal"])
    }

    @Test func aDirectoryLockedByAnotherProcessIsLeftAsItIs() throws {
        let sandbox = try Sandbox()
        let store = try Store(at: sandbox.store)
        try store.common["n"].set("v", forKey: "k")
        // The store's threads may add files meanwhile, such as the spare log, so only these must stay.
        let before = try files.contentsOfDirectory(atPath: sandbox.store)
        #expect(try sandbox.run(["load", sandbox.store], input: "junk").status != 0)
        #expect(Set(before).isSubset(of: try files.contentsOfDirectory(atPath: sandbox.store)))
        try store.close()
        #expect(try sandbox.shale("get", sandbox.store, "n", "k").output == "v\n")
    }
}
