import ShaleBase
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

/// A reader that dies at any of its calls holds nothing afterwards, and the owner notices nothing.
@Suite struct ReaderDeathTests {
    /// The work during which the reader dies.
    enum Deed: CaseIterable {
        case open, refresh, follow, read
    }

    private struct Fixture {
        let store: TestStore
        let namespace: NamespaceID

        init() throws {
            store = try TestStore { $0.openFileLimit = 16 }
            namespace = try store.namespace("n")
            try fill("old")
        }

        func fill(_ word: String) throws {
            let filler = String(repeating: ".", count: 900)
            for i in 0..<100 { try store.put("key\(i)", "\(word) \(i) \(filler)", in: namespace) }
            try store.engine.purge([namespace])
            try store.engine.flush()
            try store.engine.compact()
            try store.put("last", word, in: namespace)
        }

        func open() throws -> Engine {
            var options = store.options
            options.mode = .readOnly
            return try TestStore.open(store.files, options)
        }
    }

    @Test(arguments: Deed.allCases) func nothingIsHeldAfterTheDeathOfAReader(_ deed: Deed) throws {
        let step = Ring.choose(commit: 3, nightly: 1, release: 1)
        var point = 1
        var isEnd = false
        while !isEnd {
            let fixture = try Fixture()
            let files = fixture.store.files
            let process = files.fork()
            var reader: Engine?
            var log: Engine.ChangeLog?
            if deed != .open {
                try files.run(in: process) {
                    reader = try fixture.open()
                    log = try reader?.changeLog()
                }
            }
            try fixture.fill("new")
            files.inject(FaultRule(when: .match(point), repeatsForever: true, .error(5)))
            do {
                try files.run(in: process) {
                    switch deed {
                    case .open: reader = try fixture.open()
                    case .refresh: reader = try reader?.refreshed()
                    case .follow: while try log?.nextAvailable() != nil {}
                    case .read: _ = try reader?.entries(in: fixture.namespace)
                    }
                }
                isEnd = true
            } catch {
                #expect((error as? StorageError)?.code == .ioFailure, "\(deed) at \(point): \(error)")
            }
            files.removeFaultRules()
            files.end(process)
            #expect(fixture.store.engine.statistics.heldStates == 0, "\(deed) at \(point)")
            try fixture.store.engine.deleteReplacedFiles()
            let segments = fixture.store.engine.statistics.levels.reduce(0) { $0 + $1.segments }
            #expect(files.paths().count { $0.hasSuffix(".seg") } == segments, "\(deed) at \(point)")
            #expect(try fixture.store.get("last", in: fixture.namespace) == "new")
            // Another reader is not disturbed by what the dead one has left.
            let other = try fixture.open()
            #expect(try other.entries(in: fixture.namespace).count == 101)
            try other.close()
            try fixture.store.engine.close()
            point += step
        }
        #expect(point > step + 1, "\(deed)")
    }
}
