import Foundation
import Shale
import Testing

@testable import ShaleCommand

@Suite struct CompactCommandTests {
    private func filled(_ count: Int = 3000) throws -> Sandbox {
        let sandbox = try Sandbox()
        let store = try Store(at: sandbox.store)
        for number in 0..<count {
            try store.common["a"].set("text \(number * 7919)", forKey: "key \(number)")
            try store.common["b"].set(number, forKey: "key \(number)", options: [.purgeable])
        }
        try store.close()
        return sandbox
    }

    /// Adds values that take long to compress with zstd:19.
    private func addNoise(to sandbox: Sandbox, megabytes: Int) throws {
        let store = try Store(at: sandbox.store)
        var state: UInt64 = 1
        for number in 0..<megabytes * 500 {
            let bytes = (0..<2000).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 56)
            }
            try store.common["c"].set(Data(bytes), forKey: "key \(number)")
        }
        try store.close()
    }

    @Test func aDryRunChangesNothingAndTellsTheSize() throws {
        let sandbox = try filled()
        let before = try sandbox.shale("dump", sandbox.store, "-q").output
        let told = try sandbox.shale("compact", sandbox.store, "--dry-run", "--json").json()
        #expect((told["readBytes"] as? Int ?? 0) > 0 && told["isDryRun"] as? Bool == true)
        #expect(try sandbox.shale("compact", sandbox.store, "--json").status == 0)
        #expect(try sandbox.shale("compact", sandbox.store, "--dry-run", "--json").json()["readBytes"] as? Int == 0)
        #expect(try sandbox.shale("dump", sandbox.store, "-q").output == before)
    }

    @Test func aNamespaceIsPurgedAndTheOthersStay() throws {
        let sandbox = try filled()
        #expect(try sandbox.shale("compact", sandbox.store, "b", "--purge").status == 0)
        #expect(try sandbox.shale("scan", sandbox.store, "b", "--keys-only").output.isEmpty)
        #expect(try sandbox.shale("get", sandbox.store, "a", "key 7").status == 0)
        #expect(try sandbox.shale("compact", sandbox.store, "c").status == 1)
        #expect(try sandbox.shale("compact", sandbox.store, "--prefix", "k").status == 64)
        #expect(try sandbox.shale("compact", sandbox.store, "--into", "x", "--dry-run").status == 64)
    }

    @Test func everythingIsCompressedAnewInPlaceAndIntoANewDirectory() throws {
        let sandbox = try filled()
        let before = try sandbox.shale("dump", sandbox.store, "-q").output
        let done = try sandbox.shale("compact", sandbox.store, "--compression", "none", "--json").json()
        let plain = try #require(done["storedBytesAfter"] as? Int)
        let copied = try sandbox.shale(
            "compact", sandbox.store, "--into", "\(sandbox.path)/new", "--compression", "zstd:9", "--json")
        #expect(try #require(try copied.json()["storedBytes"] as? Int) < plain)
        #expect(try sandbox.shale("dump", "\(sandbox.path)/new", "-q").output == before)
        #expect(try sandbox.shale("verify", sandbox.store).status == 0)
    }

    @Test func diskSpaceIsBoundedOrRefused() throws {
        let sandbox = try filled(60_000)
        let before = try sandbox.shale("dump", sandbox.store, "-q").output
        let refused = try sandbox.shale("compact", sandbox.store, "--compression", "zstd:2", "--max-extra-disk", "1K")
        #expect(refused.status != 0 && refused.errors.contains("needs more disk space than allowed"))
        #expect(try sandbox.shale("compact", sandbox.store, "--max-extra-disk", "1X").status == 64)
        let done = try sandbox.shale("compact", sandbox.store, "--compression", "zstd:2", "--max-extra-disk", "64M")
        #expect(done.status == 0)
        #expect(try sandbox.shale("dump", sandbox.store, "-q").output == before)
    }

    @Test func segmentsInTheRequestedCompressionAreLeftAlone() throws {
        let sandbox = try filled()
        let arguments = ["compact", sandbox.store, "--compression", "zstd:4", "--json"]
        #expect(try (sandbox.run(arguments + ["--dry-run"]).json()["readBytes"] as? Int ?? 0) > 0)
        #expect(try (sandbox.run(arguments).json()["writtenBytes"] as? Int ?? 0) > 0)
        #expect(try sandbox.run(arguments + ["--dry-run"]).json()["readBytes"] as? Int == 0)
        #expect(try sandbox.run(arguments).json()["readBytes"] as? Int == 0)
    }

    /// The command draws a bar only on a terminal, and removes it at the end.
    @Test(.enabled(if: TerminalSession.isPossible)) func theProgressBarIsForTerminals() throws {
        let sandbox = try filled()
        // The compaction reports progress after each MiB.
        try addNoise(to: sandbox, megabytes: 6)
        let session = try TerminalSession(
            ["compact", sandbox.store, "--compression", "zstd:19"], terminal: "xterm", columns: 100)
        session.end(with: 0)
        let shown = session.screen
        #expect(shown.contains("█") && shown.contains(" % ") && shown.contains("/s"))
        let last = try #require(shown.range(of: "\u{1b}[K", options: .backwards))
        #expect(shown[last.upperBound...].contains("became"))
        let piped = try sandbox.shale("compact", sandbox.store, "--compression", "zstd:1")
        #expect(!piped.errors.contains("█") && !piped.errors.contains("\u{1b}"))
    }

    @Test func anInterruptionLeavesASoundStoreThatContinues() throws {
        let sandbox = try filled()
        try addNoise(to: sandbox, megabytes: 12)
        // No compaction in the background is left to do.
        #expect(try sandbox.shale("compact", sandbox.store, "--compression", "zstd:1").status == 0)
        let before = try sandbox.shale("dump", sandbox.store, "-q").output
        let segments = "\(sandbox.store)/segments"
        let old = Set(try FileManager.default.contentsOfDirectory(atPath: segments))
        let process = Process()
        process.executableURL = Sandbox.command
        process.arguments = ["compact", sandbox.store, "--compression", "zstd:19", "-q"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        // The first file that it makes shows that it compacts. It then has seconds of work left.
        let isCompacting = try eventually {
            try !FileManager.default.contentsOfDirectory(atPath: segments).allSatisfy(old.contains)
        }
        process.interrupt()
        process.waitUntilExit()
        #expect(isCompacting)
        #expect(process.terminationReason == .exit && process.terminationStatus == 130)
        #expect(try sandbox.shale("verify", sandbox.store).status == 0)
        #expect(try sandbox.shale("compact", sandbox.store, "--compression", "zstd:1").status == 0)
        #expect(try sandbox.shale("dump", sandbox.store, "-q").output == before)
    }
}
