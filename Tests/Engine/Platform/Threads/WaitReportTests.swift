#if SHALE_WAITS
    import ShaleBase
    import TestSupport
    import Testing

    @testable import ShalePlatform

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// The report of a test that hangs. One after the other: the report names all threads.
    @Suite(.serialized) struct WaitReportTests {
        /// Two threads of which one waits for the other.
        private struct Stuck {
            let line: UInt
            let report: String
        }

        @Test func aThreadThatWaitsForAStripeIsNamedWithTheHolder() throws {
            let stripes = LockStripes(count: 4, 0)
            let stuck = try stuck(holder: { body in stripes.withLock(2) { _ in body() } }) {
                stripes.withLock(2) { $0 += 1 }
                return #line - 1
            }
            #expect(
                stuck.report.contains(
                    /WAITING thread \d+ waiter for the lock [0-9a-f]+ at PlatformTests\/WaitReportTests.swift:/))
            #expect(stuck.report.contains(":\(stuck.line) since "))
            #expect(stuck.report.contains(/held by \d+ holder\n/))
        }

        @Test func aThreadThatWaitsForAllStripesIsNamedWithTheHolder() throws {
            let stripes = LockStripes(count: 4, 0)
            let stuck = try stuck(holder: { body in stripes.withLock(3) { _ in body() } }) {
                _ = stripes.withAllLocks { $0.count }
                return #line - 1
            }
            #expect(stuck.report.contains(/WAITING thread \d+ waiter for the lock [0-9a-f]+ at/))
            #expect(stuck.report.contains(":\(stuck.line) since "))
            #expect(stuck.report.contains(/held by \d+ holder\n/))
        }

        @Test func aThreadThatWaitsForALockIsNamedWithTheHolder() throws {
            let lock = Lock()
            let stuck = try stuck(holder: { body in lock.withLock(body) }) {
                lock.withLock {}
                return #line - 1
            }
            #expect(stuck.report.contains(/WAITING thread \d+ waiter for the lock [0-9a-f]+ at/))
            #expect(stuck.report.contains(":\(stuck.line) since "))
            #expect(stuck.report.contains(/held by \d+ holder\n/))
        }

        /// `holder` calls its argument while it holds what `waiter` waits for. `waiter` returns the line on which it
        /// waits.
        private func stuck(
            holder: @escaping @Sendable (() -> Void) -> Void, waiter: @escaping @Sendable () -> UInt
        ) throws -> Stuck {
            let isHeld = Parker(spinCount: 0)
            let mayEnd = Parker(spinCount: 0)
            let line = Locked<UInt>(0)
            let holding = try WorkerThread.start(name: "holder") {
                holder {
                    isHeld.unpark()
                    mayEnd.park()
                }
            }
            isHeld.park()
            let waiting = try WorkerThread.start(name: "waiter") { line.withLock { $0 = waiter() } }
            var report = ""
            let isReported = eventually {
                report = WaitReportTests.report()
                return report.contains(/thread \d+ waiter/)
            }
            mayEnd.unpark()
            holding.join()
            waiting.join()
            #expect(isReported)
            // Other tests run beside this one.
            let lines = report.split(separator: "\n").filter { $0.contains(" waiter ") }
            return Stuck(line: line.withLock { $0 }, report: lines.joined(separator: "\n") + "\n")
        }

        /// The report goes through a file: a pipe that nobody reads would block behind its first pages.
        private static func report() -> String {
            guard let file = unsafe tmpfile() else { return "" }
            defer { unsafe fclose(file) }
            let descriptor = unsafe fileno(file)
            ThreadWaits.report(to: ThreadWaits.Report(descriptor: descriptor))
            lseek(descriptor, 0, SEEK_SET)
            var text: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = unsafe read(descriptor, &piece, piece.count)
                guard count > 0 else { return String(decoding: text, as: UTF8.self) }
                text += piece[..<count]
            }
        }
    }
#endif
