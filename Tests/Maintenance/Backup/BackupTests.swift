import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

@Suite struct BackupTests {
    private let time = ManualTime()
    private let files = SimulatedFileSystem(seed: 1)

    private func open(_ hasValues: Bool) throws -> Engine {
        try StoreScript.open(files, time) { ($0.largeValueBytes, $0.valueSpaceBound) = (hasValues ? 64 : 0, 10) }
    }

    /// `isRandom`: the values are 100 bytes that do not compress, drawn from the text.
    private func put(_ engine: Engine, _ numbers: Range<Int>, _ value: String, isRandom: Bool = false) throws {
        let namespace = try engine.createNamespace(named: Array("n".utf8))
        for number in numbers {
            var value = Array("\(value) \(number)".utf8)
            if isRandom {
                let random = SeededRandom(seed: value.reduce(0) { $0 &* 31 &+ UInt64($1) })
                value = (0..<100).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            }
            try unsafe engine.put(
                value.span.bytes, forKey: Array("key \(10_000 + number)".utf8).span.bytes, in: namespace)
        }
    }

    @discardableResult
    private func backUp(_ engine: Engine, links: Bool = false) throws -> BackupInfo {
        var options = BackupOptions()
        options.linksFiles = links
        return try Maintenance.backUp(engine, to: "/backups", options: options, fileSystem: files)
    }

    private func restore(
        _ files: SimulatedFileSystem, _ number: UInt64?, into target: String = "/restored"
    ) throws -> BackupInfo {
        try Maintenance.restore(
            from: "/backups", number: number, into: target, options: BackupOptions(), fileSystem: files)
    }

    private typealias Content = [[UInt8]: [[UInt8]: [UInt8]]]

    @Test(arguments: [false, true], [false, true]) func eachBackupIsItsMoment(links: Bool, hasValues: Bool) throws {
        let engine = try open(hasValues)
        var moments: [Content] = []
        var (copied, needed) = (0, 0)
        for round in 0..<4 {
            try put(engine, round * 300..<(round * 300 + 500), "round \(round)", isRandom: hasValues)
            if round == 1 { try engine.compact() }
            let info = try backUp(engine, links: links)
            #expect(info.number == UInt64(round + 1))
            (copied, needed) = (copied + info.copiedSegments, needed + info.segments)
            moments.append(try PopulatedStore.content(of: files.crashClone(.keepAll), at: StoreScript.path, time))
        }
        // The backup reuses segments that did not change.
        #expect(copied < needed)
        #expect(try backUp(engine, links: links).copiedBytes == 0)
        try engine.close()
        #expect(try Maintenance.verifyBackups(in: "/backups", number: nil, fileSystem: files).isEmpty)
        for (index, moment) in moments.enumerated() {
            _ = try restore(files, UInt64(index + 1), into: "/restored\(index)")
            #expect(try PopulatedStore.content(of: files, at: "/restored\(index)", time) == moment)
        }
        #expect(try Maintenance.pruneBackups(in: "/backups", keeping: 1, fileSystem: files) == [1, 2, 3, 4])
        #expect(try Maintenance.backups(in: "/backups", fileSystem: files).map(\.number) == [5])
        #expect(try restore(files, nil).number == 5)
        #expect(try PopulatedStore.content(of: files, at: "/restored", time) == moments[3])
        #expect(throws: StorageError.self) { try restore(files, nil) }
    }

    /// The sizes of the store's files that end with `suffix`.
    private func fileBytes(_ suffix: String) -> [String: Int] {
        let paths = files.paths().filter { $0.hasPrefix(StoreScript.path + "/segments/") && $0.hasSuffix(suffix) }
        return Dictionary(uniqueKeysWithValues: paths.map { ($0, files.read($0)?.count ?? 0) })
    }

    /// A store that is restored, twice here, gives old file numbers to new files. These may have the sizes of the old
    /// files too, because random values do not compress.
    @Test(arguments: [false, true], [false, true]) func aStoreThatWentBackIsCopiedAnew(
        isSameSize: Bool, hasValues: Bool
    ) throws {
        var engine = try open(hasValues)
        try put(engine, 0..<200, "first", isRandom: isSameSize)
        try engine.close()
        let early = files.crashClone(.keepAll)
        var moments: [Content] = []
        var sizes: Set<[String: Int]> = []
        for value in ["second", "other.", "third."] {
            for path in files.paths() where path.hasPrefix(StoreScript.path) { files.remove(path) }
            for path in early.paths() { files.write(path, early.read(path) ?? []) }
            time.advance(milliseconds: 5)
            engine = try open(hasValues)
            try put(engine, 200..<400, value, isRandom: isSameSize)
            try backUp(engine)
            // References have checksums, which compress to different sizes.
            sizes.insert(fileBytes(hasValues && isSameSize ? ".val" : ".seg"))
            moments.append(try PopulatedStore.content(of: files.crashClone(.keepAll), at: StoreScript.path, time))
            try engine.close()
        }
        #expect((sizes.count == 1) == isSameSize)
        for (index, moment) in moments.enumerated() {
            _ = try restore(files, UInt64(index + 1), into: "/restored\(index)")
            #expect(try PopulatedStore.content(of: files, at: "/restored\(index)", time) == moment)
        }
    }

    @Test func damageIsNamedAndNotRestored() throws {
        let engine = try StoreScript.open(files, time)
        try put(engine, 0..<300, "value")
        try backUp(engine)
        try engine.close()
        let segment = try #require(files.paths().first { $0.hasPrefix("/backups/segments-") })
        files.corrupt(segment, at: 100, xor: 1)
        #expect(try Maintenance.verifyBackups(in: "/backups", number: nil, fileSystem: files).count == 1)
        let error = #expect(throws: StorageError.self) { try restore(files, nil) }
        #expect(error?.code == .corruption)
        #expect(files.read("/restored/CURRENT") == nil)
        #expect(throws: StorageError.self) { try Maintenance.backups(in: StoreScript.path + "x", fileSystem: files) }
    }

    @Test func atLeastOneBackupIsKept() throws {
        let engine = try StoreScript.open(files, time)
        try put(engine, 0..<10, "value")
        try backUp(engine)
        try engine.close()
        for count in [0, -1] {
            let error = #expect(throws: StorageError.self) {
                try Maintenance.pruneBackups(in: "/backups", keeping: count, fileSystem: files)
            }
            #expect(error?.code == .invalidArgument)
        }
        #expect(try Maintenance.backups(in: "/backups", fileSystem: files).count == 1)
    }

    /// After a crash at any call, earlier backups are whole, the new one is whole or absent, and the next backup
    /// succeeds.
    @Test(arguments: [false, true]) func aBackupMayBeKilledAtAnyCall(hasValues: Bool) throws {
        let engine = try open(hasValues)
        try put(engine, 0..<150, "first", isRandom: hasValues)
        try backUp(engine)
        let first = try PopulatedStore.content(of: files.crashClone(.keepAll), at: StoreScript.path, time)
        try put(engine, 100..<250, "second", isRandom: hasValues)
        try engine.flush()
        let second = try PopulatedStore.content(of: files.crashClone(.keepAll), at: StoreScript.path, time)
        let random = SeededRandom(seed: Ring.seed)
        var crashed: [SimulatedFileSystem] = []
        files.willPerform = { [files] _, _ in
            crashed.append(files.crashClone(.processKill))
            crashed.append(files.crashClone(.drawn(random), seed: random.next()))
        }
        try backUp(engine)
        _ = try Maintenance.pruneBackups(in: "/backups", keeping: 1, fileSystem: files)
        _ = try restore(files, nil)
        files.willPerform = nil
        try engine.close()
        for left in crashed {
            let list = try Maintenance.backups(in: "/backups", fileSystem: left)
            #expect(!list.isEmpty)
            #expect(try Maintenance.verifyBackups(in: "/backups", number: nil, fileSystem: left).isEmpty)
            for info in list {
                _ = try restore(left, info.number, into: "/r\(info.number)")
                let content = try PopulatedStore.content(of: left, at: "/r\(info.number)", time)
                #expect(content == (info.number == 1 ? first : second), "\(Ring.reproduction)")
            }
            guard left.read("/restored/CURRENT") != nil else { continue }
            #expect(try PopulatedStore.content(of: left, at: "/restored", time) == second)
        }
        Ring.covered(crashed.count, "backups and restores killed")
    }
}
