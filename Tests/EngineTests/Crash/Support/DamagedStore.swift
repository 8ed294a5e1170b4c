import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation

/// A small store on a simulated disk, and the judgement of what it shows after its files were damaged.
struct DamagedStore {
    let healthy: SimulatedFileSystem
    private let progress: CrashProgress
    private let entries: [String: [(key: [UInt8], value: [UInt8])]]
    private let content: StoreContent

    /// Some of everything: several levels, purged and truncated entries, deletes, blocks of both codecs.
    private static let steps: [CrashStep] =
        [.create("a"), .create("b"), .create("c")]
        + (0..<40).map { .put($0 % 3 == 0 ? "b" : "a", $0, bytes: 300, purgeable: $0 % 4 == 0) }
        + [.put("c", 1), .flush, .compact]
        + (20..<50).map { .put($0 % 3 == 0 ? "b" : "a", $0, bytes: 200) }
        + [.delete("a", 1), .flush, .purge(["a", "b"]), .truncate(["c"]), .setOptions("a", [1, 2, 3])]
        + [.put("b", 3, bytes: 2000), .delete("b", 6), .put("a", 61, synced: true), .put("c", 2, synced: true)]

    /// Left by `close`, or by the death of the process after everything was synced.
    init(isClosed: Bool) throws {
        let run = ScriptRun(
            CrashScript(
                "damage", DamagedStore.steps + (isClosed ? [.reopen] : []) + [.put("b", 70, synced: true), .idle]))
        try run.open()
        var progress = CrashProgress()
        for (index, step) in run.script.steps.enumerated() {
            progress.begin(step, index: index)
            try run.perform(step, index)
            progress.end(step)
        }
        self.progress = progress
        if isClosed { try run.engine?.close() }
        run.abandon()
        healthy = run.files.crashClone(.keepAll)
        healthy.recordsOperations = false
        let engine = try ScriptRun.open(healthy.crashClone(.keepAll))
        content = try StoreContent(of: engine)
        var entries: [String: [(key: [UInt8], value: [UInt8])]] = [:]
        for namespace in engine.namespaces {
            entries[String(decoding: namespace.name, as: UTF8.self)] = try engine.entries(in: namespace.id)
        }
        self.entries = entries
    }

    /// What is wrong with how the store answers on a damaged `disk`; nil when every answer is right or a typed error.
    /// `allowsOlder`: the end of a log was hit, which an older state explains as well.
    func problem(on disk: SimulatedFileSystem, allowsOlder: Bool) -> String? {
        let before = disk.contents
        let engine: Engine
        do throws(StorageError) {
            engine = try ScriptRun.open(disk)
        } catch {
            if let problem = DamagedStore.problem(with: error) { return problem }
            return disk.contents == before ? nil : "the open that failed has changed the disk"
        }
        do throws(StorageError) {
            let shown = try StoreContent(of: engine)
            if shown == content { return nil }
            if allowsOlder, progress.fingerprints.contains(shown.fingerprint) { return nil }
            return "shows another state: entries=\(shown.entryCount), not \(content.entryCount)"
        } catch {
            return DamagedStore.problem(with: error) ?? problem(withLookups: engine)
        }
    }

    /// A scan has failed; single keys give their values or errors.
    private func problem(withLookups engine: Engine) -> String? {
        for (name, entries) in entries {
            guard let id = engine.namespace(named: Array(name.utf8))?.id else { return "namespace \(name) is missing" }
            for (key, value) in entries {
                do throws(StorageError) {
                    let found = try unsafe engine.value(forKey: key.span.bytes, in: id)
                    if found != value { return "a key is \(found == nil ? "absent" : "wrong")" }
                } catch {
                    if let problem = DamagedStore.problem(with: error) { return problem }
                }
            }
        }
        return nil
    }

    static func problem(with error: StorageError) -> String? {
        switch error.code {
        case .corruption where error.file != nil && error.offset != nil: nil
        case .missingLog where error.file != nil: nil
        case .newerFormat where error.file != nil: nil
        default: "an error that names no place: \(error)"
        }
    }
}

extension SimulatedFileSystem {
    /// The bytes of all files.
    var contents: [String: [UInt8]] {
        var result: [String: [UInt8]] = [:]
        for path in paths() { result[path] = read(path) }
        return result
    }
}
