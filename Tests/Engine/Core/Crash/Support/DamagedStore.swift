import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation

/// A small store on a simulated disk, and the check of its answers after its files were damaged.
struct DamagedStore {
    let healthy: SimulatedFileSystem
    /// The ranges of the blocks or chunks in each file, by path.
    let pieces: [String: [Range<Int>]]
    /// Earlier contents of files, without the space reserved after them.
    let olderFiles: [OlderFile]
    private let progress: CrashProgress
    private let entries: [String: [(key: [UInt8], value: [UInt8])]]
    private let content: StoreContent

    struct OlderFile {
        let path: String
        let step: Int
        let bytes: [UInt8]
    }

    /// A bit of everything: several levels, purged and truncated entries, deletes, blocks of both codecs.
    private static let steps: [CrashStep] =
        [.create("a"), .create("b"), .create("c")]
        + (0..<40).map { .put($0 % 3 == 0 ? "b" : "a", $0, bytes: 300, purgeable: $0 % 4 == 0) }
        + [.put("c", 1), .flush, .compact]
        + (20..<50).map { .put($0 % 3 == 0 ? "b" : "a", $0, bytes: 200) }
        + [.delete("a", 1), .flush, .purge(["a", "b"]), .truncate(["c"]), .setOptions("a", [1, 2, 3])]
        + [.put("b", 3, bytes: 2000), .delete("b", 6), .put("a", 61, synced: true), .put("c", 2, synced: true)]

    /// Makes a store that was closed, or whose process was killed after everything was synced.
    ///
    /// - Parameters:
    ///   - splitsBlocks: True if its segments have format 2.
    ///   - hasValues: True if its large values are in value files.
    init(isClosed: Bool, splitsBlocks: Bool = false, hasValues: Bool = false) throws {
        var options = ScriptRun.options
        if hasValues { options.largeValueBytes = 150 }
        options.splitsBlocks = splitsBlocks ? .always : .never
        if splitsBlocks { options.dictionaryDataBytesMin = 1 << 10 }
        let run = ScriptRun(
            CrashScript(
                "damage", DamagedStore.steps + (isClosed ? [.reopen] : []) + [.put("b", 70, synced: true), .idle]),
            options: options)
        try run.open()
        var progress = CrashProgress()
        var history: [OlderFile] = []
        for (index, step) in run.script.steps.enumerated() {
            progress.begin(step, index: index)
            try run.perform(step, index)
            progress.end(step)
            if index % DamagedStore.historySteps == 0 { history += DamagedStore.files(of: run.files, at: index) }
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
        var distinct: [String: Set<[UInt8]>] = [:]
        olderFiles = history.filter { distinct[$0.path, default: []].insert($0.bytes).inserted }
        pieces = try FilePieces.find(in: engine, DamagedStore.files(of: healthy, at: 0).map { ($0.path, $0.bytes) })
    }

    private static let historySteps = 7

    private static func files(of disk: SimulatedFileSystem, at step: Int) -> [OlderFile] {
        disk.paths().compactMap { path in
            guard let bytes = disk.read(path) else { return nil }
            return OlderFile(path: path, step: step, bytes: Array(bytes.prefix(DamageCampaign.used(bytes))))
        }
    }

    /// Returns the problem with the answers on a damaged `disk`; `nil` if every answer is right or a typed error.
    ///
    /// - Parameters:
    ///   - allowsOlder: True if the end of a log was damaged, for which an older state is right too.
    ///   - mustBeVerified: True if a segment's bytes were altered, which ``Engine/verify(threads:progress:)`` must
    ///     find, whatever reads have met.
    func problem(on disk: SimulatedFileSystem, allowsOlder: Bool, mustBeVerified: Bool) -> String? {
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
            if mustBeVerified, try engine.verify().problems.isEmpty { return "verify finds nothing" }
            if shown == content { return nil }
            if allowsOlder, progress.fingerprints.contains(shown.fingerprint) { return nil }
            return "shows another state: entries=\(shown.entryCount), not \(content.entryCount)"
        } catch {
            return DamagedStore.problem(with: error) ?? problem(withReads: engine)
        }
    }

    /// Checks single reads after a failed scan: keys return their values or errors, and scans return the right entries
    /// up to an error.
    private func problem(withReads engine: Engine) -> String? {
        for (name, entries) in entries {
            guard let id = engine.namespace(named: Array(name.utf8))?.id else { return "namespace \(name) is missing" }
            for (key, value) in entries {
                if let problem = problem(withKey: key, value, id, engine) { return problem }
                // A key directly after this one, and before every other key: it does not exist.
                if let problem = problem(withKey: key + [0], nil, id, engine) { return problem }
            }
            for order in [ScanOrder.forward, .reversed] {
                let expected = order == .forward ? entries : entries.reversed()
                if let problem = problem(withScan: order, expected, id, engine) { return problem }
            }
        }
        return nil
    }

    private func problem(withKey key: [UInt8], _ value: [UInt8]?, _ id: NamespaceID, _ engine: Engine) -> String? {
        do throws(StorageError) {
            let found = try engine.value(forKey: key, in: id)
            if found == value { return nil }
            return value == nil ? "a key too many" : "a key is \(found == nil ? "absent" : "wrong")"
        } catch {
            return DamagedStore.problem(with: error)
        }
    }

    private func problem(
        withScan order: ScanOrder, _ expected: [(key: [UInt8], value: [UInt8])], _ id: NamespaceID, _ engine: Engine
    ) -> String? {
        var index = 0
        do throws(StorageError) {
            var cursor = try engine.cursor(in: id, order: order)
            while try cursor.next() {
                let key = unsafe cursor.key.withUnsafeBytes { unsafe [UInt8]($0) }
                let value = unsafe cursor.value.withUnsafeBytes { unsafe [UInt8]($0) }
                guard index < expected.count, expected[index].key == key, expected[index].value == value else {
                    return "a scan gives a wrong entry"
                }
                index += 1
            }
        } catch {
            return DamagedStore.problem(with: error)
        }
        return index == expected.count ? nil : "a scan ends early"
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
    /// The bytes of all files, by path.
    var contents: [String: [UInt8]] {
        var result: [String: [UInt8]] = [:]
        for path in paths() { result[path] = read(path) }
        return result
    }
}
