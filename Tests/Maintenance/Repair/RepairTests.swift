import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

@Suite struct RepairTests {
    private static let stores: [PopulatedStore] = {
        do { return try (1...10).map { try PopulatedStore(seed: Ring.seed &* 100 &+ $0) } } catch {
            preconditionFailure("a store could not be made: \(error)")
        }
    }()

    @Test func soundStoresAreEqual() throws {
        let count = Ring.choose(commit: 50, nightly: 200, release: 500)
        for number in 0..<count {
            let store =
                number < 10
                ? Self.stores[number] : try PopulatedStore(seed: Ring.seed &* 1000 &+ UInt64(number), operations: 300)
            let files = store.files.crashClone(.processKill)
            let report = try repair(files, store)
            #expect(report.losses.isEmpty, "\(report.losses) \(Ring.reproduction)")
            #expect(report.withheldEntries == 0 && report.uncertainEntries == 0)
            let repaired = try PopulatedStore.content(of: files, at: "/new", store.time)
            #expect(repaired == store.content, "store \(store.seed) \(Ring.reproduction)")
        }
        Ring.covered(count, "sound stores repaired")
    }

    @Test(arguments: 0..<4) func damagedStoresGiveNothingThatWasNotThere(part: Int) throws {
        let count = Ring.choose(commit: 125, nightly: 1_250, release: 12_500)
        var placed = 0
        for number in (part * count)..<((part + 1) * count) {
            placed += try DamagedCase(number, Self.stores[number % Self.stores.count]).check()
        }
        #expect(placed > 0)
        Ring.covered(count, "damaged stores repaired", "\(placed) gave entries")
    }

    @discardableResult
    private func repair(
        _ files: SimulatedFileSystem, _ store: PopulatedStore, _ options: RepairOptions = RepairOptions()
    ) throws -> RepairReport {
        try Maintenance.repair(
            storeAt: StoreScript.path, into: "/new", options: options, engine: StoreScript.options(store.time),
            fileSystem: files)
    }
}

/// A store with random damage and its repair.
struct DamagedCase {
    private let store: PopulatedStore
    private let files: SimulatedFileSystem
    private let what: String

    init(_ number: Int, _ store: PopulatedStore) {
        self.store = store
        files = store.files.crashClone(.processKill)
        let random = SeededRandom(seed: Ring.seed &* 1_000_003 &+ UInt64(number))
        var damage: [Damage] = []
        for _ in 0..<(random.chance(0.7) ? 1 : 2 + random.below(3)) { damage.append(Damage(files, random)) }
        what = "CASE=\(number) store \(store.seed): \(damage) \(Ring.reproduction)"
    }

    /// Repairs the store and checks the result. Returns 1 if the repaired store has entries.
    func check() throws -> Int {
        let before = images()
        let report: RepairReport
        do {
            report = try repair(into: "/new", RepairOptions())
        } catch {
            // The repair does not touch a store of a newer version, and creates nothing where no store is.
            #expect(error.code == .newerFormat || error.code == .missing, "\(error) \(what)")
            #expect(files.read("/new/CURRENT") == nil)
            return 0
        }
        let repaired = try PopulatedStore.content(of: files, at: "/new", store.time)
        try checkNothingComesBack(repaired)
        checkNothingIsSilentlyLost(repaired, report)
        try checkUncertain(report)
        #expect(images() == before, "the damaged store was changed, \(what)")
        return repaired.values.contains { !$0.isEmpty } ? 1 : 0
    }

    private func repair(into target: String, _ options: RepairOptions) throws(StorageError) -> RepairReport {
        try Maintenance.repair(
            storeAt: StoreScript.path, into: target, options: options, engine: StoreScript.options(store.time),
            fileSystem: files)
    }

    private func images() -> [String: [UInt8]] {
        let paths = files.paths().filter { $0.hasPrefix(StoreScript.path + "/") && !$0.hasSuffix("/LOCK") }
        return Dictionary(uniqueKeysWithValues: paths.map { ($0, files.read($0) ?? []) })
    }

    /// Checks that every entry is the last one of the original store. If an opening takes the damage for a torn tail,
    /// it may be the entry that the store shows after such an opening.
    private func checkNothingComesBack(_ repaired: [[UInt8]: [[UInt8]: [UInt8]]]) throws {
        var shown: [[UInt8]: [[UInt8]: [UInt8]]]?
        for (name, entries) in repaired {
            for (key, value) in entries where store.content[name]?[key] != value {
                if shown == nil { shown = readable() }
                guard shown?[name]?[key] != value else { continue }
                let place = "\(String(decoding: name, as: UTF8.self)) \(String(decoding: key, as: UTF8.self))"
                Issue.record("\(place) came back, \(what)")
                return
            }
        }
    }

    /// Returns the content that an opening would show if only logs and manifest were damaged, key by key.
    private func readable() -> [[UInt8]: [[UInt8]: [UInt8]]] {
        let others = store.files.crashClone(.processKill)
        for path in others.paths() where path.contains(".wal") || path.contains(".val") || path.contains("MANIFEST") {
            if let bytes = files.read(path) { others.write(path, bytes) } else { others.remove(path) }
        }
        guard let engine = try? PopulatedStore.open(others, at: StoreScript.path, store.time) else { return [:] }
        var content: [[UInt8]: [[UInt8]: [UInt8]]] = [:]
        for namespace in engine.namespaces {
            for number in 0..<700 {
                let key = Array("key \(number)".utf8)
                guard let value = unsafe try? engine.value(forKey: key.span.bytes, in: namespace.id) else { continue }
                content[namespace.name, default: [:]][key] = value
            }
        }
        return content
    }

    /// Checks that the report names every missing entry, by a range of keys or by a loss that may concern any key.
    private func checkNothingIsSilentlyLost(_ repaired: [[UInt8]: [[UInt8]: [UInt8]]], _ report: RepairReport) {
        let isGeneral = report.losses.contains { $0.keys == nil && $0.entries != 0 } || report.tornBytes > 0
        if isGeneral { return }
        for (name, entries) in store.content {
            for key in entries.keys where repaired[name]?[key] == nil {
                let isNamed = report.losses.contains { loss in
                    guard let keys = loss.keys else { return false }
                    // This check does not split ranges that span several namespaces.
                    return keys.firstNamespace != keys.lastNamespace
                        || !key.lexicographicallyPrecedes(keys.firstKey)
                            && !keys.lastKey.lexicographicallyPrecedes(key)
                }
                guard isNamed else {
                    Issue.record("\(String(decoding: key, as: UTF8.self)) is missing without a word, \(what)")
                    return
                }
            }
        }
    }

    /// Checks that uncertain entries were once written under their keys too.
    private func checkUncertain(_ certain: RepairReport) throws {
        var options = RepairOptions()
        options.keepsUncertain = true
        let report = try repair(into: "/uncertain", options)
        #expect(report.placedEntries >= certain.placedEntries, "\(what)")
        let repaired = try PopulatedStore.content(of: files, at: "/uncertain", store.time)
        for value in repaired.values.joined().map(\.value) where !store.values.contains(value) {
            Issue.record("a value was invented, \(what)")
        }
    }
}
