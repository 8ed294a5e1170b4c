import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSimulation
import TestSupport

@testable import ShaleEngine

/// Runs a script whose calls may fail, and tracks what the result of each step promises: done, never done, or, at most
/// once, unknown until the store is reopened.
final class FailureRun {
    private let run: ScriptRun
    /// The states after the steps that succeeded. `possible` is the state that may be found after an indeterminate
    /// step.
    private var fingerprints: [UInt64] = [0]
    private var possible: (oracle: Oracle, step: CrashStep)?
    private var oracle = Oracle()
    private var durable = 0
    private var requiredNames: Set<String> = []
    private var allowedNames: Set<String> = []
    private var backgroundFailures: UInt64 = 0
    private var shortages: UInt64 = 0
    private(set) var errors: [StorageError] = []
    /// The first broken promise.
    private(set) var problem: String?

    init(
        _ script: CrashScript, _ scheduling: EngineEnvironment.Scheduling, _ system: SystemModel, _ rule: FaultRule,
        _ options: Engine.Options = ScriptRun.options
    ) {
        run = ScriptRun(
            script, on: SimulatedFileSystem(seed: 1, model: system), scheduling: scheduling, options: options)
        run.files.inject(rule)
    }

    var files: SimulatedFileSystem { run.files }

    private func fail(_ text: String) { if problem == nil { problem = text } }

    /// Runs all steps. Then heals the disk and checks the running engine and the reopened store.
    func execute() {
        do throws(StorageError) { try run.open() } catch { errors.append(error) }
        if run.engine != nil {
            for (index, step) in run.script.steps.enumerated() where problem == nil { perform(step, index) }
        }
        if let engine = run.engine { noteFailures(of: engine) }
        let isLie = files.faultsFired.first?.effect == .syncLies
        // A lost write that was never synced need not be reported.
        let surfaced = isLie || isUnreported || !errors.isEmpty || backgroundFailures > 0 || shortages > 0
        if let fault = files.faultsFired.first, !surfaced { fail("\(fault) was not reported") }
        files.removeFaultRules()
        do throws(StorageError) {
            if problem == nil, let engine = run.engine { try checkHealed(engine) }
            if problem == nil { try checkReopened(afterLies: isLie) }
        } catch {
            fail("\(error)")
        }
        run.abandon()
        if problem == nil, !files.closesAllHandles { fail("handles are open: \(files.openHandlePaths)") }
    }

    private var isUnreported: Bool {
        if case .writebackError = files.faultsFired.first?.effect { return files.writebackReports == 0 }
        return false
    }

    private func noteFailures(of engine: Engine) {
        let statistics = engine.statistics
        backgroundFailures += statistics.backgroundFailures
        shortages += statistics.descriptorShortages + statistics.spaceShortages
        backgroundFailures += UInt64(engine.recovery.unremovedFiles)
        if engine.recovery.isHolderUnnamed { backgroundFailures += 1 }
    }

    private func perform(_ step: CrashStep, _ index: Int) {
        guard let engine = run.engine else { return }
        let wasPoisoned = engine.statistics.isPoisoned
        // Closing is the last call of this engine, which reports its failures afterwards.
        defer { if step.endsEngine { noteFailures(of: engine) } }
        do throws(StorageError) {
            try run.perform(step, index)
            if wasPoisoned, step.isSequenced { fail("a poisoned engine accepted \(step)") }
            oracle.apply(step, index: index)
            accept(step)
        } catch {
            errors.append(error)
            refuse(step, index, error, wasPoisoned)
        }
    }

    /// Records that the step has happened; `oracle` includes it.
    private func accept(_ step: CrashStep) {
        if step.isSequenced { fingerprints.append(oracle.fingerprint) }
        if step.isBarrier { durable = fingerprints.count - 1 }
        switch step {
        case .create(let name):
            allowedNames.insert(name)
            // It exists in the running engine, although an indeterminate drop may turn out to have happened.
            if case .drop(let names) = possible?.step, names.contains(name) { return }
            requiredNames.insert(name)
        case .drop(let names):
            allowedNames.subtract(names)
            requiredNames.subtract(names)
        default: break
        }
    }

    private func refuse(_ step: CrashStep, _ index: Int, _ error: StorageError, _ wasPoisoned: Bool) {
        if step.endsEngine { return reopen() }
        // Background work: its failures were counted as reported.
        switch step {
        case .idle, .busy, .work: return
        default: break
        }
        if error.code == .indeterminate {
            if run.engine?.statistics.isPoisoned == false { fail("indeterminate, but not poisoned: \(step)") }
            if possible != nil { fail("two steps are indeterminate: \(step)") }
            possible = (oracle, step)
            possible?.oracle.apply(step, index: index)
            if case .create(let name) = step { allowedNames.insert(name) }
            if case .drop(let names) = step { requiredNames.subtract(names) }
        } else if wasPoisoned, error.code != .poisoned, error.code != .namespaceDropped {
            fail("a poisoned engine throws \(error)")
        }
    }

    /// Reopens the store. The open recovers everything that was not closed, and decides an indeterminate step.
    private func reopen() {
        run.abandon()
        do throws(StorageError) {
            try run.open()
            guard let engine = run.engine, let (possibleOracle, step) = possible else { return }
            let content = try StoreContent(of: engine)
            if content.fingerprint == possibleOracle.fingerprint {
                oracle = possibleOracle
                accept(step)
            }
            allowedNames = content.names
            requiredNames = content.names
            durable = fingerprints.count - 1
            possible = nil
        } catch {
            errors.append(error)
            run.abandon()
        }
    }

    /// Checks that the engine keeps working with what was acknowledged: for reads always, for writes unless it is
    /// poisoned.
    private func checkHealed(_ engine: Engine) throws(StorageError) {
        try expect(engine, fingerprints.count - 1, allowsIndeterminate: false, "in the running engine")
        if problem != nil { return }
        var isPoisoned = engine.statistics.isPoisoned
        let reports = files.writebackReports
        do throws(StorageError) {
            let probe = try engine.createNamespace(named: Array("(probe)".utf8))
            let bytes: [UInt8] = [7]
            try unsafe engine.put(bytes.span.bytes, forKey: bytes.span.bytes, in: probe)
            try engine.drop([probe])
            if isPoisoned { fail("a poisoned engine accepted a write") }
            try engine.flush()
            try engine.compact()
        } catch {
            // The error of an earlier loss may be reported only now.
            let isLate = !isPoisoned && files.writebackReports > reports
            if !isPoisoned, !isLate { return fail("writing does not continue: \(error)") }
            if isPoisoned, error.code != .poisoned { return fail("a poisoned engine throws \(error)") }
            isPoisoned = true
        }
        if let damage = try engine.verify().problems.first { fail("verify: \(damage)") }
        try expect(engine, fingerprints.count - 1, allowsIndeterminate: false, "after work was repeated")
        if !isPoisoned { durable = fingerprints.count - 1 }
        if !isPoisoned, problem == nil { try checkFiles(engine) }
    }

    /// Checks that failed work has left no file, unless removing it failed too.
    private func checkFiles(_ engine: Engine) throws(StorageError) {
        guard files.faultsFired.allSatisfy({ $0.operation.kind != .remove && $0.operation.kind != .close }) else {
            return
        }
        let segments = engine.statistics.levels.reduce(0) { $0 + $1.segments }
        let used = Set(engine.core.viewCell.retained().version.valueUses.keys)
        let open = Set(engine.core.committer.lock.withLock { engine.core.committer.valueWriters.keys })
        let live = segments + used.union(open).count
        let isLeft = try !eventually { () throws(StorageError) in
            try engine.core.obsoleteFiles.collect()
            return files.paths().count(where: { $0.hasPrefix("/store/segments") }) == live
        }
        if isLeft { fail("files on the disk: \(files.paths()), live: \(live)") }
    }

    private func checkReopened(afterLies: Bool) throws(StorageError) {
        if afterLies {
            try checkLiedTo(files.crashClone(.dropAll))
        } else {
            try checkReopened(files.crashClone(.dropAll), floor: durable, "after a power loss")
        }
        try checkReopened(files.crashClone(.processKill), floor: fingerprints.count - 1, "after a kill")
    }

    /// Checks a store after syncs that lied: anything that no other sync covered may be lost, but nothing is invented.
    private func checkLiedTo(_ disk: SimulatedFileSystem) throws(StorageError) {
        let engine: Engine
        do throws(StorageError) {
            engine = try ScriptRun.open(disk)
        } catch {
            if ![.corruption, .missing, .missingLog].contains(error.code) { fail("after lies: \(error)") }
            return
        }
        let content = try StoreContent(of: engine, except: "(probe)")
        if !fingerprints.contains(content.fingerprint) {
            fail("no known state after lies, entries=\(content.entryCount)")
        }
    }

    private func checkReopened(
        _ disk: SimulatedFileSystem, floor: Int, _ place: String
    ) throws(StorageError) {
        if problem != nil { return }
        let engine = try openAfterReports(disk)
        try expect(engine, floor, allowsIndeterminate: true, place)
        if let damage = try engine.verify().problems.first { fail("verify \(place): \(damage)") }
        try engine.close()
    }

    /// Opens the store. A new process gets the writeback errors of its predecessor, so an open may fail once for each
    /// file.
    private func openAfterReports(_ disk: SimulatedFileSystem) throws(StorageError) -> Engine {
        while true {
            let reports = disk.writebackReports
            do throws(StorageError) {
                return try ScriptRun.open(disk)
            } catch {
                guard disk.writebackReports > reports else { throw error }
            }
        }
    }

    private func expect(
        _ engine: Engine, _ floor: Int, allowsIndeterminate: Bool, _ place: String
    ) throws(StorageError) {
        let content = try StoreContent(of: engine, except: "(probe)")
        if !requiredNames.isSubset(of: content.names) || !content.names.isSubset(of: allowedNames) {
            fail("namespaces \(place): \(content.names.sorted()) not \(requiredNames.sorted())")
        }
        if fingerprints[floor...].contains(content.fingerprint) { return }
        if allowsIndeterminate, let possible, content.fingerprint == possible.oracle.fingerprint { return }
        let n = fingerprints.lastIndex(of: content.fingerprint).map { "state \($0)" } ?? "no known state"
        fail("\(n) \(place), entries=\(content.entryCount), promised \(floor) of \(fingerprints.count - 1)")
    }
}
