import ShaleBase
import ShalePlatform
import ShaleSimulation
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
@Suite struct FaultRuleTests {
    private let fileSystem = SimulatedFileSystem(seed: 5)
    private let directory: any Directory

    init() throws { directory = try fileSystem.openDirectory("s", create: true) }

    /// Creates `count` files and returns the indices of the failed creations.
    private func failures(_ count: Int) -> [Int] {
        (0..<count).filter { index in
            do {
                try directory.create("f\(index)").close()
                return false
            } catch {
                return true
            }
        }
    }

    @Test func callsAreCountedWithKindAndPath() throws {
        try directory.make("f", "x", synced: true)
        _ = try directory.content("f")
        try directory.rename("f", to: "g", in: directory)
        try directory.sync()
        #expect(
            fileSystem.operations.map(\.description) == [
                "#0 openDirectory /s", "#1 create /s/f", "#2 write /s/f", "#3 sync /s/f", "#4 close /s/f",
                "#5 open /s/f", "#6 size /s/f", "#7 read /s/f", "#8 rename /s/f", "#9 syncDirectory /s",
            ])
        #expect(fileSystem.operationCount == 10)
    }

    @Test func anIndexNamesOneCall() throws {
        let next = fileSystem.operationCount
        fileSystem.inject(FaultRule(when: .index(next + 2), .error(EIO)))
        expectFailure(EIO) { try directory.make("f", "x", synced: true) }
        #expect(fileSystem.faultsFired.map(\.operation.kind) == [.sync])
        try directory.make("g", "x", synced: true)
    }

    @Test func anIndexThatRepeatsHoldsForAllLaterCalls() throws {
        fileSystem.inject(
            FaultRule(on: [.create], when: .index(fileSystem.operationCount + 4), repeatsForever: true, .error(EIO)))
        #expect(failures(5) == [2, 3, 4])
    }

    @Test func theKthMatchFiresOnceOrFromThenOn() {
        fileSystem.inject(FaultRule(on: [.create], when: .match(3), .error(EIO)))
        #expect(failures(6) == [2])
        fileSystem.removeFaultRules()
        fileSystem.inject(FaultRule(on: [.exists], when: .match(2), repeatsForever: true, .error(EIO)))
        let results = (0..<4).map { _ in
            do { return try directory.exists("f0") } catch { return false }
        }
        #expect(results == [true, false, false, false])
    }

    @Test func everyKthMatchFires() {
        fileSystem.inject(FaultRule(on: [.create], when: .every(3), repeatsForever: true, .error(EMFILE)))
        #expect(failures(9) == [2, 5, 8])
        #expect(fileSystem.faultsFired.count == 3)
        #expect(fileSystem.faultsFired.allSatisfy { $0.effect == .error(EMFILE) })
    }

    @Test func randomFaultsFollowTheSeed() throws {
        func run(_ seed: UInt64) throws -> [Int] {
            let fileSystem = SimulatedFileSystem(seed: seed)
            let directory = try fileSystem.openDirectory("s", create: true)
            fileSystem.inject(FaultRule(on: [.exists], when: .random(0.3), repeatsForever: true, .error(EIO)))
            for _ in 0..<100 { do { _ = try directory.exists("f") } catch { continue } }
            return fileSystem.faultsFired.map(\.operation.index)
        }
        let first = try run(1)
        #expect((10...60).contains(first.count))
        #expect(try run(1) == first)
        #expect(try run(2) != first)
    }

    @Test func aPatternSelectsPaths() throws {
        let wal = try directory.openDirectory("wal", create: true)
        fileSystem.inject(FaultRule(path: "wal/*.wal", when: .always, repeatsForever: true, .error(EACCES)))
        try directory.make("1.wal", "x")
        try wal.make("1.tmp", "x")
        expectFailure(EACCES) { try wal.make("1.wal", "x") }
        fileSystem.removeFaultRules()
        fileSystem.inject(
            FaultRule(path: .predicate { $0.hasSuffix("2.wal") }, when: .always, .error(EACCES)))
        expectFailure(EACCES) { try wal.make("2.wal", "x") }
    }

    @Test(arguments: [
        ("CURRENT", "/s/CURRENT", true), ("CURRENT", "/s/CURRENT2", false), ("*.seg", "/s/segments/1.seg", true),
        ("segments/*", "/s/segments/1.seg", true), ("egments/*", "/s/segments/1.seg", false),
        ("/s/?.seg", "/s/1.seg", true), ("/s/?.seg", "/s/11.seg", false), ("*", "/s", true), ("", "/s", false),
    ])
    func globsMatchWholePathsAndEndsOfPaths(_ glob: String, _ path: String, _ matches: Bool) {
        #expect(PathPattern.glob(glob).matches(path) == matches)
    }

    @Test func aShortWriteLeavesItsBeginningAndFails() throws {
        let file = try directory.create("f")
        fileSystem.inject(FaultRule(when: .always, .shortWrite(keeping: 3, error: ENOSPC)))
        expectFailure(ENOSPC) { try file.append("abcdef", at: 0) }
        #expect(try directory.content("f") == "abc")
    }

    @Test func aCorruptReadFlipsBitsOnTheWayAndNotOnTheMedium() throws {
        try directory.make("f", "abc")
        fileSystem.inject(FaultRule(when: .match(1), .corruptRead(byte: 4, xor: 0x02)))
        #expect(try directory.content("f") == "a`c")
        #expect(try directory.content("f") == "abc")
    }

    @Test func afterACrashEveryCallFailsUntilTheClone() throws {
        let file = try directory.create("f")
        try directory.sync()
        fileSystem.inject(FaultRule(on: [.write], when: .match(2), .crashHere))
        try file.append("abc", at: 0)
        expectFailure(EIO) { try file.append("def", at: 3) }
        expectFailure(EIO) { try file.sync() }
        expectFailure(EIO) { try file.close() }
        expectFailure(EIO) { _ = try directory.list() }
        expectFailure(EIO) { _ = try fileSystem.openDirectory("s", create: false) }
        #expect(fileSystem.hasCrashed)
        #expect(fileSystem.faultsFired.count == 1)
        let after = fileSystem.crashClone(.processKill)
        #expect(try after.openDirectory("s", create: false).content("f") == "abc")
    }
}
