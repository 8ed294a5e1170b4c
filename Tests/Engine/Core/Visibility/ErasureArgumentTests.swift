import ShaleBase
import ShaleEngine
import Testing

@Suite struct ErasureArgumentTests {
    @Test func aNamespaceMayBeNamedTwice() throws {
        let store = try TestStore()
        let (a, b) = (try store.namespace("a"), try store.namespace("b"))
        try store.put("k", "v", in: a)
        try store.put("k", "v", in: b)
        try store.engine.purge([a, a])
        try store.engine.truncate([a, b, a])
        #expect(try store.scan(a).isEmpty && store.scan(b).isEmpty)
        try store.engine.drop([b, b])
        #expect(store.engine.namespaces.map(\.id) == [a])
        try store.put("k", "v", in: a)
        try store.reopen()
        #expect(try store.scan(a) == ["k=v"])
    }

    @Test func oneNamespaceThatDoesNotLiveSparesTheOthers() throws {
        let store = try TestStore()
        let (a, b) = (try store.namespace("a"), try store.namespace("b"))
        try store.put("k", "v", in: a)
        try store.engine.drop([b])
        for erase in [store.engine.purge, store.engine.truncate, store.engine.drop] as [([NamespaceID]) throws -> Void]
        {
            do {
                try erase([a, b])
                Issue.record("a dropped namespace was accepted")
            } catch {
                #expect((error as? StorageError)?.code == .namespaceDropped)
            }
        }
        #expect(try store.scan(a) == ["k=v"])
    }
}
