import ShaleKit
import Testing

/// Trees, and the extent of clearing.
@Suite struct NodeTreeTests {
    private func fill(_ root: any CodableStorage) throws {
        try root.set("root", forKey: "k")
        try root.child("a").set("a", forKey: "k")
        try root.child("a").child("b").set("b", forKey: "k")
        try root.child("ab").set("ab", forKey: "k")
    }

    private func left(_ root: any CodableStorage) throws -> [String] {
        let a = root.child("a")
        let storages: [any CodableStorage] = [root, a, a.child("b"), root.child("ab")]
        return try storages.compactMap { try $0.value(forKey: "k", as: String.self) }
    }

    @Test func childrenHaveKeysOfTheirOwn() throws {
        let fixture = try NodeFixture()
        try fixture.forEach { (root) throws in
            try fill(root)
            #expect(try left(root) == ["root", "a", "b", "ab"])
            let child = root.child("a").child("b")
            #expect(child.path == ["a", "b"] && child.name == "b" && root.path == [] && root.name == "")
            #expect(try child.keys() == ["k"])
        }
    }

    @Test func clearingTakesOneLevel() throws {
        let fixture = try NodeFixture()
        try fixture.forEach { (root) throws in
            try fill(root)
            try root.child("a").truncate()
            #expect(try left(root) == ["root", "b", "ab"])
            try root.truncate()
            #expect(try left(root) == ["b", "ab"])
        }
    }

    @Test func clearingAHierarchyTakesWhatIsBelow() throws {
        let fixture = try NodeFixture()
        try fixture.forEach { (root) throws in
            try fill(root)
            try root.child("a").truncateSubtree()
            #expect(try left(root) == ["root", "ab"])
            try root.child("a").set("again", forKey: "k")
            #expect(try left(root) == ["root", "again", "ab"])
            try root.truncateSubtree()
            #expect(try left(root) == [] && root.keys() == [])
            try fill(root)
            #expect(try left(root).count == 4)
        }
    }

    @Test func theTopOfATreeIsNotTheWholeStore() throws {
        let fixture = try NodeFixture()
        try fixture.store.common["other"].set(1, forKey: "k")
        try fixture.store.common["nodes"].setOptions(NamespaceOptions(isPurgeable: true))
        try fixture.values.set(1, forKey: "k")
        try fixture.values.truncateSubtree()
        #expect(try fixture.store.common["other"].value(forKey: "k", as: Int.self) == 1)
        #expect(try fixture.store.common["nodes"].options.isPurgeable, "options stay")
    }

    @Test func aNodeHasValuesAndFiles() throws {
        let fixture = try NodeFixture()
        let root = Node(fixture.values, fixture.files)
        let service = root.child("SSAppService")
        try service.values.set("v", forKey: "k")
        try service.files.set("f", forKey: "k")
        try service.child("below").files.set("g", forKey: "k")
        #expect(service.name == "SSAppService" && service.child("below").path == ["SSAppService", "below"])
        try service.sync()
        try service.truncate()
        #expect(try service.values.keys() == [] && service.files.keys() == [])
        #expect(try service.child("below").files.keys() == ["k"])
        try root.truncateSubtree()
        #expect(try service.child("below").files.keys() == [])
    }
}
