import Foundation
import ShaleBase
import ShaleEngine
import ShalePlatform
import TestSupport

/// One state of a full disk, from its creation to the last check: contract E-3, R-1, D-1, D-4, D-6, D-7.
struct DiskState {
    let plan: DiskPlan
    let kinds: [MountedDisk.Kind]
    let directory: String

    static let resumeLimit = Duration.seconds(5)

    /// Returns the time that writes took to resume after space had returned.
    func run() throws -> Duration {
        let disk = try MountedDisk(plan.kind, megabytes: plan.megabytes, under: directory)
        do {
            let pause = try check(disk)
            try disk.unmount()
            return pause
        } catch {
            // The disk stays mounted for inspection.
            throw KillLoopError("\(plan.summary): \(error); the disk stays mounted at \(disk.path)")
        }
    }

    private func check(_ disk: MountedDisk) throws -> Duration {
        let path = disk.path + "/store"
        // The space to release at the end: a quarter of the disk, or half of it if nothing else makes room for the
        // store's compactions.
        try disk.occupy("ballast", plan.megabytes << 20 / (plan.relief == .nothing ? 2 : 4))
        let outcome = try DiskChildOutcome(plan, at: path, kinds: kinds)
        // There is no store yet, and none can be created on a full disk.
        guard outcome.entries > 0 else { return .zero }
        if plan.removesReserve { try disk.remove("store/RESERVE") }
        try disk.fill("filler", leaving: plan.leftBytes)
        let (count, isRelieved) = try checkFull(path, outcome)
        return try checkRelieved(disk, path, count, isRelieved)
    }

    // MARK: Full

    /// Opens the store on the full disk, performs everything that must work there, and closes it. Returns the number of
    /// entries, and whether those of the cache have been removed.
    private func checkFull(
        _ path: String, _ outcome: DiskChildOutcome
    ) throws -> (count: Int, isRelieved: Bool) {
        let engine = try step("opening") { () throws(StorageError) in
            try Engine.open(at: path, options: plan.nextOptions)
        }
        let count = try entryCount(engine)
        // The write during which the child was killed may be there.
        guard outcome.entries...outcome.entries + 1 ~= count else {
            throw KillLoopError("\(count) entries are there, \(outcome.entries) were acknowledged")
        }
        try checkContent(engine, count, isRelieved: false, "opened on the full disk")
        try step("closing") { () throws(StorageError) in try engine.close() }
        let again = try step("opening again") { () throws(StorageError) in
            try Engine.open(at: path, options: plan.nextOptions)
        }
        try checkContent(again, count, isRelieved: false, "opened again")
        let isRelieved = try relieve(again)
        try checkContent(again, count, isRelieved: isRelieved, "relieved")
        if plan.compacts { try mayFindNoSpace("reclaiming") { () throws(StorageError) in try again.reclaim() } }
        try mayFindNoSpace("compacting") { () throws(StorageError) in
            if plan.compacts { try again.compact() }
        }
        try step("closing after relief") { () throws(StorageError) in try again.close() }
        return (count, isRelieved)
    }

    /// Removes the entries of the cache, as planned. Returns false if nothing was removed.
    ///
    /// A copy-on-write file system keeps no space for the manifest's edit. The edit may be refused if the reserve is
    /// missing, or was given up for an earlier edit.
    private func relieve(_ engine: Engine) throws -> Bool {
        guard plan.relief != .nothing, let id = engine.namespace(named: DiskPlan.names[0])?.id else { return false }
        do throws(StorageError) {
            switch plan.relief {
            case .purge: try engine.purge([id])
            case .truncate: try engine.truncate([id])
            case .drop: try engine.drop([id])
            case .nothing: break
            }
            return true
        } catch {
            guard error.code == .noSpace, plan.kind == .quota else {
                throw KillLoopError("\(plan.relief): \(error)")
            }
            return false
        }
    }

    // MARK: With space

    /// Checks that writes resume without intervention when space returns to the open store, and that no files are left
    /// over.
    private func checkRelieved(
        _ disk: MountedDisk, _ path: String, _ count: Int, _ isRelieved: Bool
    ) throws -> Duration {
        let engine = try step("opening the relieved store") { () throws(StorageError) in
            try Engine.open(at: path, options: plan.nextOptions)
        }
        try checkContent(engine, count, isRelieved: isRelieved, "opened after relief")
        // A random real period in which the store finds no space.
        usleep(UInt32(SeededRandom(seed: plan.seed).below(300_000)))
        try disk.remove("ballast")
        let began = ContinuousClock.now
        let pause = try resume(engine)
        let spaces = try DiskPlan.names.map { (name) throws(StorageError) in try engine.createNamespace(named: name) }
        let more = 50
        for entry in count..<count + more {
            try step("writing") { () throws(StorageError) in
                try retrying(since: began) { () throws(StorageError) in
                    try engine.put(
                        plan.value(entry), forKey: DiskPlan.key(4 * entry), in: spaces[1], durability: .synced)
                }
                try retrying(since: began) { () throws(StorageError) in
                    try engine.delete(DiskPlan.key(4 * entry), in: spaces[1])
                }
            }
        }
        try checkContent(engine, count, isRelieved: isRelieved, "after space came back")
        if let problem = try engine.verify().problems.first { throw KillLoopError("verify: \(problem)") }
        try step("closing at the end") { () throws(StorageError) in try engine.close() }
        let last = try Engine.open(at: path, options: plan.nextOptions)
        // btrfs counts removed files against a quota for some time, and refuses even removals meanwhile. A close leaves
        // what it can neither flush nor remove, and the next opening removes it.
        guard last.recovery.removedFiles == 0 || plan.kind == .quota, last.recovery.unremovedFiles == 0 else {
            throw KillLoopError("closing has left files: \(last.recovery)")
        }
        try checkContent(last, count, isRelieved: isRelieved, "at the end")
        try last.close()
        return pause
    }

    /// Retries `write` within the 5 s that the contract allows for compactions that block writers (E-3).
    private func retrying(
        since began: ContinuousClock.Instant, _ write: () throws(StorageError) -> Void
    ) throws(StorageError) {
        var refusal: StorageError?
        let isWritten = try eventually(within: .seconds(5) - (.now - began)) { () throws(StorageError) in
            do throws(StorageError) {
                try write()
                return true
            } catch {
                guard error.code == .noSpace else { throw error }
                refusal = error
                return false
            }
        }
        if !isWritten, let refusal { throw refusal }
    }

    private func resume(_ engine: Engine) throws -> Duration {
        let began = ContinuousClock.now
        let probe = Array("probe".utf8)
        var refusal: StorageError?
        let resumes = try eventually(within: DiskState.resumeLimit) {
            do throws(StorageError) {
                guard let id = engine.namespace(named: DiskPlan.names[1])?.id else {
                    throw StorageError(.missing, "the namespace is missing")
                }
                try engine.put(probe, forKey: probe, in: id)
                try engine.delete(probe, in: id)
                return true
            } catch {
                refusal = error
                guard error.code == .noSpace else { throw Self.noResumption(began, error) }
                return false
            }
        }
        guard resumes else { throw Self.noResumption(began, refusal) }
        return .now - began
    }

    private static func noResumption(_ began: ContinuousClock.Instant, _ error: StorageError?) -> KillLoopError {
        KillLoopError("writing has not gone on after \(.now - began): \(error.map { "\($0)" } ?? "")")
    }

    // MARK: Checks

    private func step<R>(_ what: String, _ body: () throws(StorageError) -> R) throws -> R {
        do throws(StorageError) { return try body() } catch { throw KillLoopError("\(what): \(error)") }
    }

    private func mayFindNoSpace<R>(_ what: String, _ body: () throws(StorageError) -> R) throws {
        do throws(StorageError) {
            _ = try body()
        } catch {
            guard error.code == .noSpace else { throw KillLoopError("\(what): \(error)") }
        }
    }

    private func entryCount(_ engine: Engine) throws -> Int {
        var count = 0
        for namespace in engine.namespaces { count += try engine.entries(in: namespace.id).count }
        return count
    }

    /// Checks for exactly the first `count` entries; after relief, only for the kept ones of them.
    private func checkContent(_ engine: Engine, _ count: Int, isRelieved: Bool, _ when: String) throws {
        for (space, name) in DiskPlan.names.enumerated() {
            let expected = (0..<count).filter { DiskPlan.space($0) == space && !(isRelieved && space == 0) }
            guard let id = engine.namespace(named: name)?.id else {
                if expected.isEmpty { continue }
                throw KillLoopError("\(when): a namespace is missing")
            }
            let shown = try engine.entries(in: id)
            guard shown.count == expected.count else {
                throw KillLoopError("\(when): namespace \(space) shows \(shown.count) entries, not \(expected.count)")
            }
            for (key, value) in shown {
                guard let entry = Int(String(decoding: key, as: UTF8.self)), entry < count,
                    plan.value(entry).withBytes({ expected in value.withBytes { $0 == expected } })
                else { throw KillLoopError("\(when): an entry has another value") }
            }
        }
    }
}
