import ShaleBase
import ShaleEngine
import Testing

/// The answer without a read to the question if a namespace is as it was.
@Suite struct NamespaceMarkTests {
    private let store: TestStore
    private let namespace: NamespaceID
    private let other: NamespaceID

    init() throws {
        store = try TestStore()
        namespace = try store.namespace("n")
        other = try store.namespace("other")
        try store.put("a", "1", in: namespace)
    }

    private func isUnchanged(since mark: NamespaceMark, at snapshot: Engine.Snapshot? = nil) throws -> Bool {
        try store.engine.isUnchanged(since: mark, namespace, at: snapshot ?? store.engine.snapshot())
    }

    private var mark: NamespaceMark { store.engine.mark(of: namespace, at: store.engine.snapshot()) }

    @Test func writesOfOtherNamespacesChangeNothing() throws {
        let mark = mark
        #expect(try isUnchanged(since: mark))
        try store.put("b", "1", in: other)
        #expect(try isUnchanged(since: mark))
        #expect(try !store.engine.isUnchanged(since: mark, other, at: store.engine.snapshot()))
    }

    @Test func aWriteIsAChangeAlsoAfterAFlush() throws {
        let mark = mark
        let before = store.engine.snapshot()
        try store.put("a", "2", in: namespace)
        #expect(try !isUnchanged(since: mark))
        // The write may be older than the snapshot, for all that is known without reading.
        #expect(try !isUnchanged(since: mark, at: before))
        try store.engine.flush()
        #expect(try !isUnchanged(since: mark))
        try store.put("b", "1", in: other)
        #expect(try !isUnchanged(since: mark))
        let later = self.mark
        #expect(try isUnchanged(since: later))
        // A moment before the mark is not known.
        #expect(try !isUnchanged(since: later, at: before))
        try store.delete("a", in: namespace)
        #expect(try !isUnchanged(since: later))
    }

    @Test func truncationAndDropAreChanges() throws {
        let mark = mark
        try store.engine.truncate([namespace])
        #expect(try !isUnchanged(since: mark))
        try store.put("a", "1", in: namespace)
        let later = self.mark
        #expect(try isUnchanged(since: later))
        try store.engine.drop([namespace])
        #expect(try !isUnchanged(since: later))
    }
}
