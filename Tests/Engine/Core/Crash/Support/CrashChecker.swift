import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// Opens what a crash left and compares it with what was promised.
final class CrashChecker {
    private(set) var states = 0
    private(set) var problems = 0
    private static let problemsMax = 3
    /// One state in so many is crashed again right after it was opened.
    private static let lastingInterval = Ring.choose(commit: 3, nightly: 1, release: 1)

    /// True if enough problems were reported; further states would only repeat them.
    var isFull: Bool { problems >= CrashChecker.problemsMax }

    func report(_ problem: String, _ label: String) {
        problems += 1
        if problems <= CrashChecker.problemsMax { Issue.record("\(Ring.reproduction) \(label): \(problem)") }
    }

    /// Checks `disk` after a crash: it must show at least the first `floor` steps of `progress`.
    func check(
        _ disk: SimulatedFileSystem, _ progress: CrashProgress, floor: Int, thoroughly: Bool,
        _ label: @autoclosure () -> String
    ) {
        states += 1
        do throws(StorageError) {
            if let problem = try problem(disk, progress, floor, thoroughly) { return report(problem, label()) }
        } catch {
            return report("\(error)", label())
        }
        if !disk.closesAllHandles { report("handles are open: \(disk.openHandlePaths)", label()) }
    }

    /// Checks every kind of crash that `isTaken` selects, in the current state of `run`.
    func checkCrashes(
        of run: ScriptRun, at point: Int, where isTaken: (_ kind: Int) -> Bool, _ place: @autoclosure () -> String
    ) {
        for (index, kind) in CrashKind.all.enumerated() where isTaken(index) && !isFull {
            let seed = CrashKind.seed(point: point, kind: index)
            check(
                kind.crash(run.files, seed: seed), run.progress, floor: kind.floor(run.progress), thoroughly: false,
                """
                SCRIPT=\(run.script.name) POINT=\(point) STEP=\(run.stepIndex) POLICY=\(kind.name) SEED=\(seed) \
                \(place())
                """)
        }
    }

    private func problem(
        _ disk: SimulatedFileSystem, _ progress: CrashProgress, _ floor: Int, _ thoroughly: Bool
    ) throws(StorageError) -> String? {
        let engine = try ScriptRun.open(disk)
        let content = try StoreContent(of: engine)
        if let problem = progress.problem(with: content, floor: floor) { return problem }
        if let damage = try engine.verify().problems.first { return "verify: \(damage)" }
        if thoroughly, try !StoreContent.isSame(otherWays: engine) { return "scans and lookups differ" }
        if states % CrashChecker.lastingInterval == 0, let problem = try lasting(disk, content) {
            return "after another crash, \(problem)"
        }
        if thoroughly, let problem = try writing(disk, engine, content) { return "after more writing, \(problem)" }
        try engine.close()
        return nil
    }

    /// Checks that a shown state is durable, although nothing was written since (contract D-4).
    private func lasting(_ disk: SimulatedFileSystem, _ shown: StoreContent) throws(StorageError) -> String? {
        let engine = try ScriptRun.open(disk.crashClone(.dropAll))
        let content = try StoreContent(of: engine)
        return content == shown ? nil : "another state is shown: entries=\(content.entryCount) not \(shown.entryCount)"
    }

    /// Checks that the recovered store takes writes, which survive a further crash.
    private func writing(
        _ disk: SimulatedFileSystem, _ engine: Engine, _ shown: StoreContent
    ) throws(StorageError) -> String? {
        let name = Array("(probe)".utf8)
        let probe = try engine.createNamespace(named: name)
        let bytes: [UInt8] = [1, 2, 3]
        try unsafe engine.put(bytes.span.bytes, forKey: bytes.span.bytes, in: probe, durability: .synced)
        let again = try ScriptRun.open(disk.crashClone(.dropAll))
        guard try StoreContent(of: again, except: "(probe)") == shown else { return "another state is shown" }
        guard let id = again.namespace(named: name)?.id,
            try unsafe again.value(forKey: bytes.span.bytes, in: id) == bytes
        else { return "a synced write is missing" }
        return nil
    }
}

extension SimulatedFileSystem {
    /// True if nothing stays open once the objects retired by closed engines are released.
    var closesAllHandles: Bool {
        eventually {
            if openHandles > 0 { EpochDomainPool.shared.quiesceIdle() }
            return openHandles == 0
        }
    }
}

/// The progress of a script, which determines the states that a store may show after a crash.
struct CrashProgress {
    /// `fingerprints[n]` is the state after the first n sequenced steps.
    private(set) var fingerprints: [UInt64] = [0]
    /// The number of sequenced steps that have returned: the minimum after the death of the process.
    private(set) var acknowledged = 0
    /// The number of sequenced steps that are durable: the minimum after a power loss.
    private(set) var durable = 0
    /// The namespaces that must exist, and those that may exist.
    private(set) var requiredNames: Set<String> = []
    private(set) var allowedNames: Set<String> = []

    private var oracle = Oracle()

    /// Records that a step begins: from now on it may have happened.
    mutating func begin(_ step: CrashStep, index: Int) {
        oracle.apply(step, index: index)
        if step.isSequenced { fingerprints.append(oracle.fingerprint) }
        switch step {
        case .create(let name): allowedNames.insert(name)
        case .drop(let names): requiredNames.subtract(names)
        default: break
        }
    }

    /// Records that a step has returned.
    mutating func end(_ step: CrashStep) {
        acknowledged = fingerprints.count - 1
        if step.isBarrier { durable = acknowledged }
        switch step {
        case .create(let name): requiredNames.insert(name)
        case .drop(let names): allowedNames.subtract(names)
        default: break
        }
    }

    /// Returns `nil` if `content` may be seen after a crash that leaves at least the first `floor` steps.
    func problem(with content: StoreContent, floor: Int) -> String? {
        guard requiredNames.isSubset(of: content.names) else {
            return "namespaces are missing: \(requiredNames.subtracting(content.names).sorted())"
        }
        guard content.names.isSubset(of: allowedNames) else {
            return "namespaces came back: \(content.names.subtracting(allowedNames).sorted())"
        }
        if fingerprints[floor...].contains(content.fingerprint) { return nil }
        if let n = fingerprints.lastIndex(of: content.fingerprint) {
            return "shows state \(n), but \(floor) was promised (begun \(fingerprints.count - 1))"
        }
        return
            "shows no state that ever was: entries=\(content.entryCount), promised \(floor) ... "
            + "\(fingerprints.count - 1)"
    }
}
