import Shale
import ShalePlatform
import TestSupport
import Testing

/// A namespace as a transaction sees it: scans with its own writes, conflicts by what was read.
@Suite struct TransactionReaderTests {
    private func filled(_ keys: [String] = ["a", "b", "c", "d"]) throws -> StoreFixture {
        let fixture = try StoreFixture()
        for key in keys { try fixture["n"].set(key, forKey: key) }
        return fixture
    }

    @Test func scansSeeOwnWrites() throws {
        let fixture = try filled()
        let namespace = fixture["n"]
        try fixture.store.transaction { (transaction) throws(StorageError) in
            let reader = transaction[namespace]
            try transaction.set("new", forKey: "bb", in: namespace)
            try transaction.set("first", forKey: "0", in: namespace)
            try transaction.set("last", forKey: "z", in: namespace)
            try transaction.set("changed", forKey: "b", in: namespace)
            try transaction.remove("c", in: namespace)
            try transaction.remove("missing", in: namespace)
            let expected: [EntryKey] = ["0", "a", "b", "bb", "d", "z"]
            #expect(try reader.keys.array() == expected)
            #expect(try reader.keys.reversed().array() == expected.reversed())
            #expect(
                try reader.entries.map { (entry) throws(StorageError) in try entry.value(as: String.self) }
                    == ["first", "a", "changed", "new", "d", "last"])
            #expect(try reader.keys(in: "b"..<"d").array() == ["b", "bb"])
            #expect(try reader.keys(prefix: "b").reversed().array() == ["bb", "b"])
            #expect(try reader.keys.after("b").array() == ["bb", "d", "z"])
            #expect(try reader.keys(matching: .glob("b*")) == ["b", "bb"])
            #expect(try reader.count() == 6)
            #expect(try reader.keys(in: "b"..<"d").count() == 2)
            #expect(try reader.values(forKeys: ["c", "bb", "a"], as: String.self) == [nil, "new", "a"])
            #expect(try reader.contains("bb"))
            #expect(try !reader.contains("c"))
            #expect(try namespace.keys.array() == ["a", "b", "c", "d"], "nothing is committed yet")
        }
        #expect(try namespace.keys.array() == ["0", "a", "b", "bb", "d", "z"])
    }

    /// A write during a scan does not change what the scan delivers, so a loop may write what it reads.
    @Test func aScanSeesTheWritesBeforeItsStart() throws {
        let fixture = try filled()
        let namespace = fixture["n"]
        try fixture.store.transaction { (transaction) throws(StorageError) in
            let cursor = transaction[namespace].keys.cursor()
            var seen = 0
            while let key = try cursor.next() {
                seen += 1
                try transaction.set("copy", forKey: key.description + "x", in: namespace)
                try transaction.remove(key, in: namespace)
            }
            #expect(seen == 4)
        }
        #expect(try namespace.keys.array() == ["ax", "bx", "cx", "dx"])
    }

    @Test func eachReadFindsAllWritesBeforeIt() throws {
        let fixture = try filled([])
        let namespace = fixture["n"]
        try fixture.store.transaction { (transaction) throws(StorageError) in
            let reader = transaction[namespace]
            for round in 0..<4 {
                for index in 0..<20 { try transaction.set(round * 100 + index, forKey: "k\(index)", in: namespace) }
                try transaction.remove("k\(round)", in: namespace)
                #expect(try reader.int(forKey: "k19") == round * 100 + 19)
                #expect(try reader.int(forKey: "k\(round)") == nil)
                #expect(try reader.count() == 19)
            }
        }
        #expect(try namespace.count() == 19)
        #expect(try namespace.int(forKey: "k0") == 300)
    }

    @Test func anOwnWriteThatHasExpiredIsMissing() throws {
        let fixture = try filled()
        let namespace = fixture["n"]
        try fixture.store.transaction { (transaction) throws(StorageError) in
            try transaction.set("x", forKey: "b", in: namespace, options: .expires(after: .zero))
            try transaction.set("x", forKey: "bb", in: namespace, options: .expires(after: .seconds(1)))
            #expect(try transaction[namespace].keys.array() == ["a", "bb", "c", "d"])
            fixture.time.advance(milliseconds: 1000)
            #expect(try transaction[namespace].keys.array() == ["a", "c", "d"])
            #expect(try transaction[namespace].count() == 3)
            #expect(try transaction[namespace].string(forKey: "bb") == nil)
        }
        #expect(try namespace.keys.array() == ["a", "c", "d"])
    }

    /// Writes ahead of the place where a scan stopped are no conflict.
    @Test(arguments: [
        (false, "a", true), (false, "b", true), (false, "bb", false), (true, "d", true), (true, "a", false),
    ])
    func aScanHasReadUpToWhereItStopped(_ isReversed: Bool, _ key: String, _ isConflict: Bool) throws {
        let fixture = try filled()
        let namespace = fixture["n"]
        let found = code { () throws(StorageError) in
            try fixture.store.transaction(attempts: 1) { (transaction) throws(StorageError) in
                let keys = transaction[namespace].keys
                _ = try (isReversed ? keys.reversed() : keys).array(limit: 2)
                try namespace.set("other", forKey: key)
                try transaction.set(1, forKey: "own", in: fixture["m"])
            }
        }
        #expect(found == (isConflict ? .conflict : nil))
    }

    @Test func aScanToItsEndHasReadItsRange() throws {
        let fixture = try filled()
        let namespace = fixture["n"]
        for (key, expected) in [("bz", StorageError.Code.conflict), ("e", nil)] {
            for isCount in [false, true] {
                let found = code { () throws(StorageError) in
                    try fixture.store.transaction(attempts: 1) { (transaction) throws(StorageError) in
                        let keys = transaction[namespace].keys(in: "a"..."d")
                        _ = isCount ? try keys.count() : try keys.array().count
                        try namespace.set("other", forKey: key)
                        try transaction.set(1, forKey: "own", in: fixture["m"])
                    }
                }
                #expect(found == expected)
                try namespace.remove("bz")
            }
        }
    }

    @Test func afterTheEndReadsAreRefused() throws {
        let fixture = try filled()
        let namespace = fixture["n"]
        var kept: Store.Transaction.Reader?
        var cursor: Scan<EntryKey>.Cursor?
        try fixture.store.transaction { (transaction) throws(StorageError) in
            kept = transaction[namespace]
            cursor = transaction[namespace].keys.cursor()
            #expect(try cursor?.next() == "a")
        }
        let (reader, walk) = (try #require(kept), try #require(cursor))
        #expect(code { () throws(StorageError) in _ = try reader.string(forKey: "a") } == .invalidArgument)
        #expect(code { () throws(StorageError) in _ = try reader.keys.array() } == .invalidArgument)
        #expect(code { () throws(StorageError) in _ = try reader.count() } == .invalidArgument)
        #expect(code { () throws(StorageError) in _ = try walk.next() } == .invalidArgument)
    }

    /// A rewrite that keeps the options.
    @Test func optionsCanBeKept() throws {
        let fixture = try filled()
        let namespace = fixture["n"]
        try namespace.set(1, forKey: "k", options: [.purgeable, .expires(after: .seconds(10))])
        let before = try namespace.info(forKey: "k")
        fixture.time.advance(milliseconds: 3000)
        try fixture.store.transaction { (transaction) throws(StorageError) in
            guard let info = try transaction[namespace].info(forKey: "k") else { return }
            let value = try transaction[namespace].int(forKey: "k", default: 0)
            try transaction.set(value + 1, forKey: "k", in: namespace, options: info.options)
            #expect(try transaction[namespace].info(forKey: "k") == info)
        }
        #expect(try namespace.int(forKey: "k") == 2)
        #expect(try namespace.info(forKey: "k") == before)
    }

    /// The options of an entry override the namespace's defaults.
    @Test func keptOptionsOverrideTheNamespacesDefaults() throws {
        let fixture = try filled()
        let namespace = fixture["n"]
        var options = NamespaceOptions.standard
        options.isPurgeable = true
        options.timeToLive = .seconds(60)
        try namespace.setOptions(options)
        let info = try #require(try namespace.info(forKey: "a"))
        #expect(!info.isPurgeable && info.expiresAt == nil)
        try namespace.set("again", forKey: "a", options: info.options)
        #expect(try namespace.info(forKey: "a")?.options == info.options)
        #expect(info.options == [.notPurgeable, .neverExpires, .notEncrypted])
    }
}

/// Random writes and scans in a transaction, and the same on a dictionary.
@Suite struct TransactionScanModelTests {
    private struct Model {
        var stored: [String: Int] = [:]
        /// By key; `nil` for a removal.
        var own: [String: Int?] = [:]

        var visible: [String: Int] {
            stored.merging(own.compactMapValues(\.self)) { $1 }.filter { own[$0.key] ?? $0.value != nil }
        }
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func scansAgreeWithADictionary(_ run: UInt64) throws {
        let random = SeededRandom(seed: Ring.seed &+ 100 &+ run)
        let fixture = try StoreFixture(isSmall: true)
        let namespace = fixture["n"]
        var model = Model()
        for round in 0..<25 {
            try fixture.store.transaction { (transaction) throws(StorageError) in
                model.own = [:]
                for step in 0..<60 {
                    let context: Comment = "seed \(random.seed) round \(round) step \(step)"
                    let key = anyKey(random)
                    switch random.below(10) {
                    case 0..<4:
                        try transaction.set(step, forKey: key, in: namespace)
                        model.own[key] = .some(step)
                    case 4:
                        try transaction.set(step, forKey: key, in: namespace, options: .expires(after: .zero))
                        model.own[key] = .some(nil)
                    case 5, 6:
                        try transaction.remove(key, in: namespace)
                        model.own[key] = .some(nil)
                    case 7:
                        #expect(try transaction[namespace].int(forKey: key) == model.visible[key], context)
                    default: try scan(transaction[namespace], model.visible, random, context)
                    }
                }
            }
            model.stored = model.visible
            if random.chance(0.2) { try fixture.store.engine.flush() }
            if random.chance(0.1) { try fixture.store.engine.compact() }
            #expect(try namespace.count() == model.stored.count, "seed \(random.seed) round \(round)")
        }
    }

    private func anyKey(_ random: SeededRandom) -> String {
        String(repeating: random.chance(0.5) ? "a" : "b", count: 1 + random.below(3)) + String(random.below(30))
    }

    private func scan(
        _ reader: Store.Transaction.Reader, _ visible: [String: Int], _ random: SeededRandom, _ context: Comment
    ) throws(StorageError) {
        var (lower, upper) = (anyKey(random), anyKey(random))
        if upper < lower { (lower, upper) = (upper, lower) }
        let entries: Scan<Store.Entry>
        let isInside: (String) -> Bool
        switch random.below(4) {
        case 0: (entries, isInside) = (reader.entries, { _ in true })
        case 1: (entries, isInside) = (reader.entries(in: lower..<upper), { $0 >= lower && $0 < upper })
        case 2: (entries, isInside) = (reader.entries(in: lower...upper), { $0 >= lower && $0 <= upper })
        default: (entries, isInside) = (reader.entries(prefix: lower), { $0.hasPrefix(lower) })
        }
        var expected = visible.filter { isInside($0.key) }.sorted { $0.key < $1.key }
        #expect(try entries.count() == expected.count, context)
        let isReversed = random.chance(0.5)
        if isReversed { expected.reverse() }
        let limit = random.chance(0.5) ? Int.max : random.below(10)
        let found = try (isReversed ? entries.reversed() : entries).array(limit: limit)
        #expect(found.map(\.key.description) == expected.prefix(limit).map(\.key), context)
        var values: [Int] = []
        for entry in found { values.append(try entry.value(as: Int.self)) }
        #expect(values == expected.prefix(limit).map(\.value), context)
    }
}
