import ShaleNodes
import Testing

struct Draft: Codable { var title: String, lines: Int }

func drafts(_ store: Store, directory: String) throws -> [String] {
    let root = Node(NamespaceStorage(store.common["nodes"], of: store), try FileStorage(at: directory))
    let mail = root.child(named: "mail")
    try mail.values.set(Draft(title: "tea", lines: 2), forKey: "a.b")
    try mail.files.set([1, 2, 3], forKey: "../list.pdf")  // stays in its place
    let draft: Draft? = try mail.values["a.b"]
    try mail.values["sent"].set(draft)
    try mail.values["a.b"].remove()
    try mail.synchronize()
    return try [draft?.title ?? "none"] + mail.files.keys()
}

@Suite struct NodesSamples {
    @Test func draftsAreKept() throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let store = try Store(at: place.path + "/store")
        #expect(try drafts(store, directory: place.path + "/files") == ["tea", "../list.pdf"])
        try store.close()
    }
}
