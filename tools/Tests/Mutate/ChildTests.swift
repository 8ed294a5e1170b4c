import Foundation
import Testing

@testable import Mutate

/// A program is run to its end, or to the limit of its time, whatever it leaves behind.
@Suite struct ChildTests {
    /// Other tests block the threads on which the program's end is noticed, so the limit is far away.
    private func run(_ script: String, shell: String = "sh", secondsMax: Double = 1800) async throws -> (
        outcome: Child.Outcome, text: String
    ) {
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("shale-child-\(UUID().uuidString)")
        let run = try await Child.run(
            [shell, "-c", script], environment: ["WORD": "set"], directory: URL(fileURLWithPath: "/"), output: output,
            secondsMax: secondsMax, endsWhen: { $0.contains("stop here") })
        let text = try String(contentsOf: output, encoding: .utf8)
        try FileManager.default.removeItem(at: output)
        return (run.outcome, text)
    }

    @Test func theExitCodeAndBothStreamsAreKept() async throws {
        let (outcome, text) = try await run("echo $WORD; pwd >&2; exit 7")
        #expect(outcome == .exited(7))
        #expect(text == "set\n/\n")
    }

    @Test func aSignalIsACrash() async throws {
        #expect(try await run("kill -ABRT $$").outcome == .crashed(SIGABRT))
    }

    @Test func aProgramOverItsTimeIsKilled() async throws {
        #expect(try await run("sleep 1000", secondsMax: 0.2).outcome == .timedOut)
    }

    @Test func aProgramThatHasPrintedTheWordIsKilled() async throws {
        #expect(try await run("echo stop here; sleep 1000").outcome == .ended)
    }

    @Test func aProcessThatTheProgramLeavesBehindIsNotWaitedFor() async throws {
        #expect(try await run("sleep 20 & exit 0").outcome == .exited(0))
    }

    @Test func aProgramIsFoundByItsPath() async throws {
        #expect(try await run("exit 3", shell: "/bin/sh").outcome == .exited(3))
    }
}
