import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// After any change of any byte, an answer is right or an error that names file and offset.
@Suite(.serialized) struct StoreDamageTests {
    /// Returns the sampling rate: in the commit ring, one in this many states is tested.
    private static func sampling(_ kind: Damage.Kind) -> Int {
        switch kind {
        case .flip, .truncate: 31
        case .zero, .exchange, .replace: 2
        }
    }

    @Test(arguments: [true, false], Damage.Kind.allCases)
    func damageIsNeverAnswered(isClosed: Bool, _ kind: Damage.Kind) throws {
        try campaign(try DamagedStore(isClosed: isClosed), kind, "closed=\(isClosed)")
    }

    @Test func damageInSegmentsOfFormat2IsNeverAnswered() throws {
        let store = try DamagedStore(isClosed: true, splitsBlocks: true)
        try campaign(store, .flip, "format 2") { $0.hasSuffix(".seg") }
    }

    /// Values, and the references to them in logs and segments.
    @Test(arguments: [true, false], Damage.Kind.allCases)
    func damageBesideValueFilesIsNeverAnswered(isClosed: Bool, _ kind: Damage.Kind) throws {
        let store = try DamagedStore(isClosed: isClosed, hasValues: true)
        #expect(store.healthy.paths().contains { $0.hasSuffix(".val") })
        try campaign(store, kind, "values, closed=\(isClosed)") {
            $0.hasSuffix(".val") || kind == .flip && ($0.hasSuffix(".seg") || $0.hasSuffix(".wal"))
        }
    }

    private func campaign(
        _ store: DamagedStore, _ kind: Damage.Kind, _ what: String, _ takes: (String) -> Bool = { _ in true }
    ) throws {
        let campaign = DamageCampaign(store: store)
        let sampling = StateSampling(
            seed: 11, oneIn: Ring.choose(commit: StoreDamageTests.sampling(kind), nightly: 1, release: 1))
        var watch = ResourceWatch(budget: ScriptRun.options.memoryBudget)
        var states = 0
        var problems = 0
        var index = 0
        for (path, bytes) in campaign.files where takes(path) {
            let isLog = path.contains("/wal/") || path.contains("MANIFEST")
            // Other segments are unreferenced, and the next open removes them.
            let isLiveSegment = path.hasSuffix(".seg") && store.pieces[path] != nil
            for damage in campaign.damages(kind, of: path, bytes) where problems < 4 {
                index += 1
                guard sampling.takes(index) else { continue }
                let disk = store.healthy.crashClone(.keepAll)
                damage.apply(to: path, bytes, on: disk)
                states += 1
                watch.begin()
                // If two chunks at the end of a log are damaged, neither can witness the other (contract X-6).
                let problem = store.problem(
                    on: disk, allowsOlder: isLog && kind != .flip,
                    mustBeVerified: isLiveSegment && damage.changes(bytes))
                guard let problem = problem ?? watch.problem() else { continue }
                problems += 1
                Issue.record("DAMAGE=\(damage) FILE=\(path), \(what): \(problem)")
            }
        }
        Ring.covered(states, "damaged stores", "\(kind), \(what)")
    }

    @Test(arguments: [true, false])
    func aMissingFileIsAnErrorThatChangesNothing(isClosed: Bool) throws {
        let store = try DamagedStore(isClosed: isClosed)
        for path in store.healthy.paths() where !path.hasSuffix("LOCK") && !path.hasSuffix("RESERVE") {
            // A spare log holds nothing.
            if store.healthy.read(path)?.allSatisfy({ $0 == 0 }) == true { continue }
            let disk = store.healthy.crashClone(.keepAll)
            disk.remove(path)
            let before = disk.contents
            let error = #expect(throws: StorageError.self, "\(path)") { _ = try ScriptRun.open(disk) }
            #expect(error?.code == (path.contains("/wal/") ? .missingLog : .corruption), "\(path)")
            #expect(error?.file.map { path.hasSuffix($0) } == true, "\(path): \(String(describing: error))")
            #expect(disk.contents == before, "\(path)")
        }
    }
}

/// Damage in a segment fails only operations that need the damaged block, with file and
/// offset.
@Suite struct ContainmentTests {
    @Test func aDamagedBlockFailsOnlyWhatNeedsIt() throws {
        let store = try TestStore()
        let ns = try store.namespace("n")
        let other = try store.namespace("other")
        for i in 0..<64 { try store.put("key\(100 + i)", String(repeating: "\(i) ", count: 100), in: ns) }
        try store.put("key", "value", in: other)
        try store.engine.flush()
        try store.engine.compact()
        let segment = try #require(store.files.paths().first { $0.hasSuffix(".seg") })
        try store.reopen()
        // The first block of the segment: the first keys of the first namespace.
        store.files.corrupt(segment, at: 40, xor: 1)

        let error = #expect(throws: StorageError.self) { try store.get("key100", in: ns) }
        #expect(error?.code == .corruption)
        #expect(error?.file.map { segment.hasSuffix($0) } == true)
        #expect(error?.offset == 0)
        #expect(throws: StorageError.self) { try store.scan(ns) }
        #expect(try store.get("key163", in: ns) == String(repeating: "63 ", count: 100))
        #expect(try store.get("key", in: other) == "value")
        #expect(try store.scan(other) == ["key=value"])

        // A compaction that meets the block stops and keeps its inputs; writes continue.
        try store.put("key100", "new", in: ns)
        try store.put("key101x", "new", in: ns)
        #expect(throws: StorageError.self) { try store.engine.compact() }
        #expect(store.files.paths().contains(segment))
        #expect(try store.get("key100", in: ns) == "new")
        #expect(try store.get("key163", in: ns) == String(repeating: "63 ", count: 100))
        #expect(try !store.engine.verify().problems.isEmpty)
    }
}

/// A copy of a file under another number of its kind changes no answer, or is an error.
@Suite struct DuplicatedFileTests {
    @Test(arguments: [true, false], [true, false])
    func aCopyOfAFileChangesNoAnswer(isClosed: Bool, hasValues: Bool) throws {
        let store = try DamagedStore(isClosed: isClosed, hasValues: hasValues)
        var states = 0
        for (path, bytes) in DamageCampaign(store: store).files {
            guard let number = DuplicatedFileTests.number(in: path) else { continue }
            for other in max(1, number - 3)...number + 30 {
                let copy = DuplicatedFileTests.path(path, numbered: other)
                guard store.healthy.read(copy) == nil else { continue }
                let disk = store.healthy.crashClone(.keepAll)
                disk.write(copy, bytes)
                states += 1
                let problem = store.problem(on: disk, allowsOlder: false, mustBeVerified: false)
                #expect(problem == nil, "\(path) copied to \(copy), closed=\(isClosed)")
            }
        }
        Ring.covered(states, "damaged stores", "copies, closed=\(isClosed), values=\(hasValues)")
    }

    private static func number(in path: String) -> Int? { Int(path.filter(\.isNumber)) }

    private static func path(_ path: String, numbered number: Int) -> String {
        let digits = String(number)
        let padded = String(repeating: "0", count: max(0, 10 - digits.count)) + digits
        let old = path.filter(\.isNumber)
        guard let range = path.firstRange(of: old) else { return path }
        return path.replacingCharacters(in: range, with: padded)
    }
}

extension String {
    fileprivate func replacingCharacters(in range: Range<String.Index>, with text: String) -> String {
        self[..<range.lowerBound] + text + self[range.upperBound...]
    }
}
