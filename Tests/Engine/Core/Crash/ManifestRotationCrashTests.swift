import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// Contract D-3, D-6, R-1.
@Suite struct ManifestRotationCrashTests {
    /// The manifest rotates after 4 MiB, which about a thousand edits of 4 KiB reach.
    @Test func aCrashWhileTheManifestRotatesLeavesAPrefix() throws {
        let edits = 1030
        let script = CrashScript(
            "manifest rotation",
            [.create("a"), .put("a", 1)]
                + (0..<edits).map { .setOptions("a", [UInt8](repeating: UInt8($0 % 251), count: 4096)) }
                + [.put("a", 2), .purge(["a"]), .put("a", 3)])
        let run = ScriptRun(script)
        let checker = CrashChecker()
        let sampling = StateSampling(seed: 8, oneIn: Ring.choose(commit: 6, nightly: 1, release: 1))
        var point = 0
        var manifests: Set<String> = []
        func crash(_ place: String) {
            guard manifests.count >= 3 else { return }
            point += 1
            checker.checkCrashes(of: run, at: point, where: { sampling.takes(point, $0) }, place)
        }
        run.files.willPerform = { kind, path in
            if kind == .create, path.contains("MANIFEST") { manifests.insert(path) }
            if OperationSet.changes.contains(kind) { crash("before \(kind.rawValue) \(path)") }
        }
        try run.run()
        run.files.willPerform = nil
        #expect(manifests.count == 3, "created, opened, rotated")
        #expect(checker.states > 20)
        Ring.covered(checker.states, "crash states", script.name)
    }
}
