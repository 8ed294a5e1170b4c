import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// After any change of any byte, an answer is right or an error that names file and offset (contract X-2).
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
        let store = try DamagedStore(isClosed: isClosed)
        let campaign = DamageCampaign(store: store)
        let sampling = StateSampling(
            seed: 11, oneIn: Ring.choose(commit: StoreDamageTests.sampling(kind), nightly: 1, release: 1))
        var watch = ResourceWatch(budget: ScriptRun.options.memoryBudget)
        var states = 0
        var problems = 0
        var index = 0
        for (path, bytes) in campaign.files {
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
                Issue.record("DAMAGE=\(damage) FILE=\(path), closed=\(isClosed): \(problem)")
            }
        }
        Ring.covered(states, "damaged stores", "\(kind), closed=\(isClosed)")
    }

    /// Contract.
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
