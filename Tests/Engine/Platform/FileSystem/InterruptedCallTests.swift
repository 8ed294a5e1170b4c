import ShaleBase
import Testing

@testable import ShalePlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Contract E-1: a call that a signal interrupts is repeated, and a failed call is not.
///
/// `tools/system-calls` interrupts every kind of call that a store makes.
@Suite struct InterruptedCallTests {
    @Test func anInterruptedCallIsMadeAgain() throws {
        var outcomes: [Int32] = [EINTR, EINTR, 0, EIO]
        let result = try SystemCall.run("fsync", "file") { () -> Int32 in
            let number = outcomes.removeFirst()
            errno = number
            return number == 0 ? 7 : -1
        }
        #expect(result == 7 && outcomes == [EIO])
    }

    @Test func aFailedCallIsNotMadeAgain() {
        var count = 0
        expectFailure(EIO) {
            _ = try SystemCall.run("fsync", "file") { () -> Int32 in
                count += 1
                errno = EIO
                return -1
            }
        }
        #expect(count == 1)
    }
}
