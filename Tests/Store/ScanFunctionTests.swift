import Shale
import TestSupport
import Testing

/// The functions of a scan, on its one type of element.
@Suite struct ScanFunctionTests {
    private struct Refusal: Error, Equatable { let key: EntryKey }

    private func filled() throws -> StoreFixture {
        let fixture = try StoreFixture()
        for (index, key) in ["a", "b", "c", "d", "e"].enumerated() { try fixture["n"].set(index, forKey: key) }
        return fixture
    }

    @Test func everyFunctionTakesTheSameElement() throws {
        let fixture = try filled()
        let entries = fixture["n"].entries
        var seen: [EntryKey] = []
        try entries.forEach { seen.append($0.key) }
        #expect(seen == ["a", "b", "c", "d", "e"])
        #expect(try entries.map { try $0.value(as: Int.self) } == [0, 1, 2, 3, 4])
        #expect(try entries.compactMap { try $0.value(as: Int.self) > 2 ? $0.key : nil } == ["d", "e"])
        #expect(try entries.filter { try $0.value(as: Int.self) % 2 == 0 }.map(\.key) == ["a", "c", "e"])
        #expect(try entries.reduce(0) { try $0 + $1.value(as: Int.self) } == 10)
        #expect(try entries.first()?.key == "a")
        #expect(try entries.first { try $0.value(as: Int.self) == 3 }?.key == "d")
        #expect(try entries.first { $0.key == "x" } == nil)
        #expect(try entries.contains { $0.key == "c" })
        #expect(try !entries.contains { $0.key == "x" })
        #expect(try entries.array(limit: 0).isEmpty)
        #expect(try fixture["missing"].keys.array().isEmpty)
    }

    /// Without annotations a closure that throws nothing keeps the function's error typed.
    @Test func closuresThatThrowNothingKeepTheErrorTyped() throws {
        let fixture = try filled()
        func run() throws(StorageError) -> [EntryKey] {
            var seen: [EntryKey] = []
            let keys = fixture["n"].keys
            try keys.forEach { seen.append($0) }
            seen += try keys.filter { $0 > "c" }
            seen += try keys.map { $0 }
            if try keys.contains(where: { $0 == "a" }), let first = try keys.first(where: { $0 > "a" }) {
                seen.append(first)
            }
            return seen
        }
        #expect(try run().count == 5 + 2 + 5 + 1)
    }

    @Test func anErrorOfTheClosureArrivesUnchanged() throws {
        let fixture = try filled()
        let keys = fixture["n"].keys
        var calls = 0
        #expect(throws: Refusal(key: "b")) {
            try keys.forEach { key in
                calls += 1
                if key == "b" { throw Refusal(key: key) }
            }
        }
        #expect(calls == 2)
        #expect(throws: Refusal(key: "a")) { try keys.map { (key) -> Int in throw Refusal(key: key) } }
        #expect(throws: Refusal(key: "a")) { try keys.contains { throw Refusal(key: $0) } }
        #expect(
            code { () throws(StorageError) in
                try keys.forEach { (_) throws(StorageError) in throw StorageError(.cancelled, "enough") }
            } == .cancelled)
    }

    @Test func aBoundThatIsNoKeyIsTheErrorOfEveryFunction() throws {
        let fixture = try filled()
        let scan = fixture["n"].keys(prefix: nested(65))
        #expect(code { () throws(StorageError) in try scan.array() } == .invalidArgument)
        #expect(code { () throws(StorageError) in try scan.count() } == .invalidArgument)
        #expect(code { () throws(StorageError) in try scan.after("x").first() } == .invalidArgument)
        let cursor = scan.cursor()
        for _ in 0..<2 {
            #expect(code { () throws(StorageError) in _ = try cursor.next() } == .invalidArgument)
        }
    }

    private func nested(_ depth: Int) -> CompositeKey {
        (0..<depth).reduce(CompositeKey("x")) { (key, _) in CompositeKey(key) }
    }

    @Test func cursorsStepAndEnd() throws {
        let fixture = try filled()
        let cursor = fixture["n"].keys(in: "b"..."c").cursor()
        #expect(try cursor.next() == "b")
        #expect(try cursor.next() == "c")
        #expect(try cursor.next() == nil)
        #expect(try cursor.next() == nil)
    }
}
