import ShaleBase
import ShaleEngine
import ShaleSimulation
import Testing

/// Names of namespaces and keys are data. No name becomes part of a path, so path syntax, case folding
/// and Unicode forms have no effect.
@Suite struct NameSafetyTests {
    private static let names = [
        "..", "../..", "/", "/etc/passwd", "a/b", "a\0b", "\0", "LOCK", "CURRENT", "name", "NAME", "é", "e\u{301}", "🗄",
        String(repeating: "x", count: 4096),
    ]

    @Test func anyNameAndKeyIsGoodAndOnlyItself() throws {
        let store = try TestStore()
        for name in Self.names {
            let ns = try store.namespace(name)
            for key in Self.names { try store.put(key, "\(name)-\(key)", in: ns) }
        }
        try store.engine.flush()
        try store.reopen()
        #expect(Set(try Self.names.map { try store.namespace($0) }).count == Self.names.count)
        for name in Self.names {
            let ns = try store.namespace(name)
            #expect(try store.scan(ns).count == Self.names.count)
            for key in Self.names { #expect(try store.get(key, in: ns) == "\(name)-\(key)") }
        }
        let digits = Set("0123456789")
        for path in store.files.paths() {
            #expect(path.hasPrefix("/store/"))
            let words = path.dropFirst(7).filter { !digits.contains($0) }
            #expect(
                ["LOCK", "CURRENT", "RESERVE", "STATISTICS", "MANIFEST-", "wal/.wal", "segments/.seg"].contains(words),
                "\(path)")
        }
    }
}
