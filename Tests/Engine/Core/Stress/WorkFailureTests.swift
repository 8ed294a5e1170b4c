import ShaleBase
import Testing

@testable import ShaleEngine

/// Contract E-3: a thread that waits for a flush on a full disk gets the error that there is no space.
struct WorkFailureTests {
    private let noSpace = StorageError(.noSpace, "no space")

    @Test func anAttemptThatIsLeftOutForWantOfSpaceEndsAWaitThatBeganDuringTheLastOne() {
        var failures = WorkFailures()
        failures.begin()
        // A thread requests a flush during the attempt, whose outcome tells nothing about the thread's own memtable.
        let attempts = failures.attempts
        failures.fail(noSpace, at: 0)
        #expect(failures.failure(after: attempts) == nil)
        failures.failWithoutTrying(at: 2_000_000_000)
        #expect(failures.failure(after: attempts)?.code == .noSpace)
        #expect(!failures.mayTry(at: 2_500_000_000))
        #expect(failures.mayTry(at: 3_000_000_000))
    }
}
