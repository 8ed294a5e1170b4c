import ShalePlatform
import TestSupport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A child that was killed, or that ended before that, with its acknowledgements.
struct KilledChild {
    /// The number of actions of each writer that have certainly returned.
    private(set) var acknowledged = [Int](repeating: 0, count: CyclePlan.writersMax)
    private(set) var total = 0
    private(set) var hasClosed = false

    private static let waitSecondsMax = 60

    /// Runs the plan in a child on the store at `path`, and kills it at the plan's moment.
    init(_ plan: CyclePlan, at path: String) throws {
        let child = try ChildProcess(["child", path, String(plan.seed)])
        var rest: [UInt8] = []
        do {
            try wait(for: plan.moment, child, &rest)
        } catch {
            child.kill()
            _ = try child.wait()
            throw error
        }
        child.kill()
        while let bytes = try child.read(waiting: -1) { try take(bytes, &rest) }
        let ending = try child.wait()
        guard ending == .killed(signal: SIGKILL) || (ending == .exited(0) && hasClosed) else {
            throw KillLoopError("the child ended with \(ending)")
        }
    }

    private mutating func wait(for moment: CyclePlan.Moment, _ child: ChildProcess, _ rest: inout [UInt8]) throws {
        switch moment {
        // The child is killed at a random time, which is what this tests.
        case .afterStart(let microseconds): usleep(microseconds)
        case .afterAcknowledgements(let count, let microseconds):
            var silentSeconds = 0
            while total < count {
                guard let bytes = try child.read(waiting: 1000) else { return }
                try take(bytes, &rest)
                silentSeconds = bytes.isEmpty ? silentSeconds + 1 : 0
                guard silentSeconds < KilledChild.waitSecondsMax else {
                    throw KillLoopError("the child hangs: nothing acknowledged for \(silentSeconds) s")
                }
            }
            usleep(microseconds)
        }
    }

    private mutating func take(_ bytes: [UInt8], _ rest: inout [UInt8]) throws {
        rest += bytes
        let whole = rest.count / Acknowledgement.byteCount * Acknowledgement.byteCount
        for start in stride(from: 0, to: whole, by: Acknowledgement.byteCount) {
            let acknowledgement = Acknowledgement(rest[start..<start + Acknowledgement.byteCount])
            if acknowledgement.writer == Acknowledgement.closed.writer {
                hasClosed = true
                continue
            }
            guard acknowledgement.writer < acknowledged.count,
                acknowledged[acknowledgement.writer] == acknowledgement.action
            else { throw KillLoopError("acknowledged out of order: \(acknowledgement)") }
            acknowledged[acknowledgement.writer] += 1
            total += 1
        }
        rest.removeFirst(whole)
    }
}
