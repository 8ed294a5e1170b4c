import Testing

@testable import ShaleCommand

@Suite struct NamespacePathTests {
    @Test func `levels are between slashes and escapes stand for bytes`() throws {
        #expect(try NamespacePath("a/b", user: nil).components == ["a", "b"])
        #expect(try NamespacePath("a%2Fb/c%25", user: "u").components == ["a/b", "c%"])
    }

    @Test(arguments: ["", "/", "a/", "/a", "a//b", "a%", "a%2", "a%zz", "%ff"])
    func `malformed names are a usage error`(_ text: String) {
        #expect(throws: ToolFailure.self) { try NamespacePath(text, user: nil) }
    }

    @Test(arguments: [["a"], ["a", "b/c", "%"], ["é", " "]])
    func `text and catalogue name give the path back`(_ components: [String]) throws {
        for user in [nil, "u/1"] {
            let path = NamespacePath(user: user, components: components)
            #expect(try NamespacePath(path.text, user: user) == path)
            #expect(NamespacePath(catalogueName: path.catalogueName) == path)
        }
    }

    @Test(arguments: [[], [1], [9, 1, 0, 65], [1, 2, 0, 65], [2, 1, 0, 65], [1, 1, 0, 0xff]] as [[UInt8]])
    func `names that the store did not make have no path`(_ name: [UInt8]) {
        #expect(NamespacePath(catalogueName: name) == nil)
    }
}
