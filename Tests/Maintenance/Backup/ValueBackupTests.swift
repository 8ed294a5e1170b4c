import ShaleBase
import ShaleEngine
import ShaleManifest
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

/// Backups of stores with value files share these files, and restore and verify every value.
@Suite struct ValueBackupTests {
    private let time = ManualTime()
    private let files = SimulatedFileSystem(seed: 1)
    private let valueBytes = 1000
    private let pool = "/backups/segments-0000000001"

    /// Overwritten values stay where they are until a test compacts.
    private func open() throws -> Engine {
        try StoreScript.open(files, time) { ($0.largeValueBytes, $0.valueSpaceBound) = (64, 10) }
    }

    private func put(_ engine: Engine, _ numbers: Range<Int>, _ text: String) throws {
        try engine.putNumbered(numbers, text, padding: valueBytes)
    }

    @discardableResult
    private func backUp(_ engine: Engine) throws(StorageError) -> BackupInfo {
        try Maintenance.backUp(engine, to: "/backups", options: BackupOptions(), fileSystem: files)
    }

    private func restore(_ number: UInt64? = nil, into target: String = "/restored") throws(StorageError) {
        _ = try Maintenance.restore(
            from: "/backups", number: number, into: target, options: BackupOptions(), fileSystem: files)
    }

    private func values(in folder: String) -> Set<String> {
        Set(files.paths().filter { $0.hasPrefix(folder) && $0.hasSuffix(".val") })
    }

    @Test func compactedReferencesAreCopiedWithoutTheirValues() throws {
        let engine = try open()
        // Fewer segments than those that start a compaction.
        for round in 0..<3 {
            try put(engine, round * 40..<round * 40 + 50, "round \(round)")
            try engine.flush()
        }
        let first = try backUp(engine)
        #expect(first.valueFiles == 3 && first.copiedBytes > 150 * UInt64(valueBytes))
        #expect(first.storedBytes == first.copiedBytes)
        try engine.compact()
        let second = try backUp(engine)
        #expect(second.valueFiles == 3 && second.copiedSegments > 0)
        #expect(second.copiedBytes < 50 * UInt64(valueBytes))
        let content = try PopulatedStore.content(engine)
        try engine.close()
        for number in 1...2 as ClosedRange<UInt64> {
            try restore(number, into: "/r\(number)")
            #expect(try PopulatedStore.content(of: files, at: "/r\(number)", time) == content)
        }
    }

    /// A store that was put back gives the number of a value file to another one, of the same size. No segment of the
    /// pool is in the store any more.
    @Test func aValueFileOfAnotherHistoryIsCopiedAnew() throws {
        var engine = try open()
        try engine.close()
        let early = files.crashClone(.keepAll)
        engine = try open()
        try put(engine, 0..<50, "first")
        try engine.flush()
        try backUp(engine)
        let first = try PopulatedStore.content(engine)
        try engine.close()
        for path in files.paths() where path.hasPrefix(StoreScript.path) { files.remove(path) }
        for path in early.paths() { files.write(path, early.read(path) ?? []) }
        engine = try open()
        try put(engine, 0..<50, "other")
        try engine.flush()
        let shared = values(in: StoreScript.path).map { $0.suffix(14) }
        #expect(shared == values(in: pool).map { $0.suffix(14) })
        try put(engine, 25..<75, "third")
        try engine.compact()
        try backUp(engine)
        let second = try PopulatedStore.content(engine)
        try engine.close()
        for (number, content) in [(1, first), (2, second)] as [(UInt64, [[UInt8]: [[UInt8]: [UInt8]]])] {
            try restore(number, into: "/r\(number)")
            #expect(try PopulatedStore.content(of: files, at: "/r\(number)", time) == content)
        }
    }

    @Test func pruningRemovesValueFilesThatNoBackupNeeds() throws {
        let engine = try open()
        try put(engine, 0..<50, "first")
        try backUp(engine)
        let old = values(in: pool)
        try put(engine, 0..<50, "second")
        try engine.compact()
        try backUp(engine)
        #expect(values(in: pool).count == 2 && old.count == 1)
        let content = try PopulatedStore.content(engine)
        try engine.close()
        _ = try Maintenance.pruneBackups(in: "/backups", keeping: 1, fileSystem: files)
        #expect(values(in: pool).count == 1 && values(in: pool).isDisjoint(with: old))
        try restore()
        #expect(try PopulatedStore.content(of: files, at: "/restored", time) == content)
        #expect(values(in: "/restored").count == 1)
    }

    /// The segments of two backups refer to the file.
    @Test(arguments: [0, 70, 88, 600]) func aDamagedValueFileIsNamedOnceAndNotRestored(position: Int) throws {
        let engine = try open()
        try put(engine, 0..<20, "first")
        try backUp(engine)
        let file = try #require(values(in: pool).first)
        try put(engine, 10..<30, "second")
        try engine.compact()
        #expect(try backUp(engine).copiedSegments > 0)
        try engine.close()
        files.corrupt(file, at: position, xor: 1)
        let problems = try Maintenance.verifyBackups(in: "/backups", number: nil, fileSystem: files)
        #expect(problems.count == 1 && isAbout(problems[0], file), "\(problems)")
        for number in 1...2 as ClosedRange<UInt64> {
            #expect(code { () throws(StorageError) in try restore(number) } == .corruption)
            #expect(files.paths().allSatisfy { !$0.hasPrefix("/restored") })
        }
    }

    private func isAbout(_ error: StorageError, _ path: String) -> Bool { error.file.map(path.hasSuffix) == true }

    @Test func aMissingValueFileIsNamedAndNotRestored() throws {
        let engine = try open()
        try put(engine, 0..<20, "first")
        try backUp(engine)
        try engine.close()
        let file = try #require(values(in: pool).first)
        files.remove(file)
        let problems = try Maintenance.verifyBackups(in: "/backups", number: nil, fileSystem: files)
        #expect(problems.count == 1 && isAbout(problems[0], file), "\(problems)")
        #expect(throws: StorageError.self) { try restore() }
        #expect(files.paths().allSatisfy { !$0.hasPrefix("/restored") })
    }

    @Test func aDamagedValueOfTheStoreMakesNoBackup() throws {
        let engine = try open()
        try put(engine, 0..<20, "first")
        try engine.flush()
        let file = try #require(values(in: StoreScript.path).first)
        files.corrupt(file, at: 500, xor: 1)
        #expect(code { () throws(StorageError) in try backUp(engine) } == .corruption)
        #expect(try Maintenance.backups(in: "/backups", fileSystem: files).isEmpty)
        #expect(code { () throws(StorageError) in _ = try StreamedBackup.stream(of: engine) } == .corruption)
        try engine.close()
    }

    /// An append that failed may leave bytes behind the last record.
    @Test func whatFollowsTheLastRecordIsNotCopied() throws {
        let engine = try open()
        try put(engine, 0..<20, "first")
        try engine.flush()
        let content = try PopulatedStore.content(engine)
        let file = try #require(values(in: StoreScript.path).first)
        let whole = try #require(files.read(file))
        files.write(file, whole + [1, 2, 3])
        try backUp(engine)
        let stream = try StreamedBackup.stream(of: engine)
        try engine.close()
        let copy = try #require(values(in: pool).first)
        #expect(files.read(copy) == whole)
        try restore(into: "/other")
        try StreamedBackup.restore(stream, to: files)
        for target in ["/other", StreamedBackup.target] {
            #expect(try PopulatedStore.content(of: files, at: target, time) == content)
        }
    }

    @Test func aFailedRestoreLeavesNoValueFile() throws {
        let engine = try open()
        try put(engine, 0..<20, "first")
        try backUp(engine)
        try engine.close()
        let segment = try #require(files.paths().first { $0.hasPrefix(pool) && $0.hasSuffix(".seg") })
        files.corrupt(segment, at: 100, xor: 1)
        #expect(code { () throws(StorageError) in try restore() } == .corruption)
        #expect(files.paths().allSatisfy { !$0.hasPrefix("/restored") })
    }

    /// The restored store is used, collects its garbage, and loses nothing.
    @Test func aRestoredStoreIsUsedOn() throws {
        let engine = try open()
        try put(engine, 0..<50, "first")
        try backUp(engine)
        try engine.close()
        try restore(into: "/next")
        for path in files.paths() where path.hasPrefix(StoreScript.path) { files.remove(path) }
        for path in files.paths() where path.hasPrefix("/next") {
            files.write(StoreScript.path + path.dropFirst("/next".count), files.read(path) ?? [])
        }
        var again = try open()
        try put(again, 25..<75, "second")
        try again.compact()
        let content = try PopulatedStore.content(again)
        #expect(content[Array("n".utf8)]?.count == 75)
        try again.close()
        again = try open()
        #expect(try PopulatedStore.content(again) == content)
        #expect(try again.verify().problems.isEmpty)
        try again.close()
    }
}
