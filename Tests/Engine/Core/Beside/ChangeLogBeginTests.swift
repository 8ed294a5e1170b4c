import ShaleBase
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

/// The beginning of a change log beside an owner that replaces the manifest, and in a store that has none.
@Suite struct ChangeLogBeginTests {
    private let store: TestStore
    private let ns: NamespaceID
    private let reader: Engine

    init() throws {
        store = try TestStore()
        ns = try store.namespace("n")
        var options = store.options
        options.mode = .readOnly
        reader = try TestStore.open(store.files, options)
    }

    private func isManifest(_ path: String) -> Bool { path.contains("MANIFEST") }

    @Test func aManifestThatIsReplacedBeforeItIsOpenedIsNoError() throws {
        var replacements = 0
        var isInside = false
        store.files.willPerform = { [self] kind, path in
            guard kind == .open, isManifest(path), !isInside, replacements < 3 else { return }
            isInside = true
            defer { isInside = false }
            replacements += 1
            do { try store.engine.rewriteManifest() } catch { Issue.record("\(error)") }
        }
        let log = try reader.changeLog()
        store.files.willPerform = nil
        #expect(replacements == 3)
        try store.put("k", "v", in: ns)
        let batch = try log.nextAvailable()
        #expect(batch?.isGap == false && batch?.changes.map(\.key) == [Array("k".utf8)])
        log.cancel()
        try store.engine.close()
    }

    /// The same error as that of an opening: CURRENT names a file that is not there.
    @Test func aManifestThatIsMissingIsDamage() throws {
        try store.engine.close()
        for path in store.files.paths() where isManifest(path) { store.files.remove(path) }
        #expect(code { () throws(StorageError) in _ = try reader.changeLog() } == .corruption)
        var options = store.options
        for mode in [Engine.Options.Mode.readOnly, .openExisting] {
            options.mode = mode
            let opening = options
            let environment = EngineEnvironment(
                fileSystem: store.files, random: SeededRandom(seed: 7), scheduling: .inline)
            let refused = code { () throws(StorageError) in
                try Engine.open(at: "/store", options: opening, environment: environment)
            }
            #expect(refused == .corruption)
        }
    }
}
