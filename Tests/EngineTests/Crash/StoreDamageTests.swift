import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

/// For any change of any byte the answer is right, or an error that names the place (contract X-2).
@Suite struct StoreDamageTests {
    enum Damage: String, CaseIterable {
        case flip, zeroSector, truncate
    }

    @Test(arguments: [true, false], Damage.allCases)
    func damageIsNeverAnswered(isClosed: Bool, _ damage: Damage) throws {
        let store = try DamagedStore(isClosed: isClosed)
        let sampling = StateSampling(seed: 11, oneIn: damage == .zeroSector ? 1 : 24)
        var states = 0
        var problems = 0
        for path in store.healthy.paths() where !path.hasSuffix("LOCK") && !path.hasSuffix("RESERVE") {
            let bytes = try #require(store.healthy.read(path))
            let isLog = path.contains("/wal/") || path.contains("MANIFEST")
            let used = bytes.count - bytes.reversed().prefix { $0 == 0 }.count
            for offset in stride(from: 0, to: min(bytes.count, used + 600), by: damage == .zeroSector ? 512 : 1)
            where sampling.takes(states + offset, path.count) && problems < 4 {
                let disk = store.healthy.crashClone(.keepAll)
                StoreDamageTests.apply(damage, to: disk, path, bytes, offset)
                states += 1
                // Two chunks at the end of a log in one sector: neither can vouch for the other (contract X-6).
                let allowsOlder = isLog && damage != .flip
                guard let problem = store.problem(on: disk, allowsOlder: allowsOlder) else { continue }
                problems += 1
                Issue.record(
                    "DAMAGE=\(damage) FILE=\(path) OFFSET=\(offset) of \(used), closed=\(isClosed): \(problem)")
            }
        }
        print("damage \(damage), closed=\(isClosed): \(states) states")
    }

    private static func apply(
        _ damage: Damage, to disk: SimulatedFileSystem, _ path: String, _ bytes: [UInt8], _ offset: Int
    ) {
        switch damage {
        case .flip: disk.corrupt(path, at: offset, xor: UInt8(1 << (offset % 8)))
        case .zeroSector:
            var changed = bytes
            for i in offset..<min(offset + 512, bytes.count) { changed[i] = 0 }
            disk.write(path, changed)
        case .truncate: disk.write(path, Array(bytes.prefix(offset)))
        }
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
