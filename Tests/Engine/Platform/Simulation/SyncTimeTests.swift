import ShaleBase
import ShalePlatform
import ShaleSimulation
import Testing

/// Syncs and reservations take time: other calls happen between their beginning and their end.
@Suite struct SyncTimeTests {
    private func contents(afterWritingDuring kind: OperationKind, seed: UInt64) throws -> String {
        let files = SimulatedFileSystem(seed: seed)
        let directory = try files.openDirectory("s", create: true)
        let file = try directory.create("f")
        try directory.sync()
        try file.append("before", at: 0)
        files.isPerforming = { running, _ in
            guard running == kind else { return }
            files.isPerforming = nil
            #expect(throws: Never.self) {
                try file.append("1", at: 6)
                try file.append("2", at: 7)
            }
        }
        try file.sync()
        return String(decoding: files.crashClone(.dropAll).read("s/f") ?? [], as: UTF8.self)
    }

    @Test func aSyncMakesDurableWhatWasThereWhenItBeganAndPerhapsMore() throws {
        let seen = try Set((0..<32).map { try contents(afterWritingDuring: .sync, seed: $0) })
        #expect(seen == ["before", "before1", "before12"])
    }

    @Test func aNameMadeDuringADirectorysSyncMayBeDurableOrNot() throws {
        let seen = try Set(
            (0..<16 as Range<UInt64>).map { seed in
                let files = SimulatedFileSystem(seed: seed)
                let directory = try files.openDirectory("s", create: true)
                try directory.make("a", "")
                files.isPerforming = { _, _ in
                    files.isPerforming = nil
                    #expect(throws: Never.self) { try directory.make("b", "") }
                }
                try directory.sync()
                return files.crashClone(.dropAll).paths()
            })
        #expect(seen == [["/s/a"], ["/s/a", "/s/b"]])
    }

    @Test func aCrashDuringASyncMayLoseWhatItWasToMakeDurable() throws {
        let files = SimulatedFileSystem()
        let directory = try files.openDirectory("s", create: true)
        let file = try directory.create("f")
        try directory.sync()
        try file.append("x", at: 0)
        nonisolated(unsafe) var left: [UInt8]?
        files.isPerforming = { _, _ in unsafe left = files.crashClone(.dropAll).read("s/f") }
        try file.sync()
        #expect(unsafe left == [])
    }

    @Test func hooksSeeEveryCallBeforeAndAfterItAlsoOneThatFails() throws {
        let files = SimulatedFileSystem()
        let directory = try files.openDirectory("s", create: true)
        nonisolated(unsafe) var seen: [String] = []
        files.willPerform = { kind, path in unsafe seen.append("will \(kind) \(path)") }
        files.didPerform = { kind, path in unsafe seen.append("did \(kind) \(path)") }
        expectFailure(2) { _ = try directory.open("f") }
        try directory.sync()
        #expect(
            unsafe seen == ["will open /s/f", "did open /s/f", "will syncDirectory /s", "did syncDirectory /s"])
    }
}
