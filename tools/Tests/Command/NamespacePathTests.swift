import Testing

@testable import ShaleCommand

@Suite struct NamespacePathTests {
    @Test func levelsAreBetweenSlashesAndEscapesStandForBytes() throws {
        #expect(try NamespacePath("a/b", user: nil).components == ["a", "b"])
        #expect(try NamespacePath("a%2Fb/c%25", user: "u").components == ["a/b", "c%"])
    }

    @Test(arguments: ["", "/", "a/", "/a", "a//b", "a%", "a%2", "a%zz", "%ff"])
    func malformedNamesAreAUsageError(_ text: String) {
        #expect(throws: ToolFailure.self) { try NamespacePath(text, user: nil) }
    }

    @Test(arguments: [["a"], ["a", "b/c", "%"], ["é", " "]])
    func textAndCatalogueNameGiveThePathBack(_ components: [String]) throws {
        for user in [nil, "u/1"] {
            let path = NamespacePath(user: user, components: components)
            #expect(try NamespacePath(path.text, user: user) == path)
            #expect(NamespacePath(catalogueName: path.catalogueName) == path)
        }
    }

    @Test(arguments: [[], [1], [9, 1, 0, 65], [1, 2, 0, 65], [2, 1, 0, 65], [1, 1, 0, 0xff]] as [[UInt8]])
    func namesThatTheStoreDidNotMakeHaveNoPath(_ name: [UInt8]) {
        #expect(NamespacePath(catalogueName: name) == nil)
    }
}
