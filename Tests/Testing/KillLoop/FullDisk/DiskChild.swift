import ShaleBase
import ShaleEngine
import ShalePlatform
import TestSupport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The process that writes until the disk is full or the plan's entries are written, and then is killed or closes the
/// store.
struct DiskChild {
    /// Sent when the child writes no more.
    static let done = Acknowledgement(writer: 0xfffe, action: 0)

    let plan: DiskPlan
    let path: String

    func run() throws {
        let engine = try Engine.open(at: path, options: plan.options)
        var spaces: [NamespaceID] = []
        for name in DiskPlan.names { spaces.append(try engine.createNamespace(named: name)) }
        var entry = 0
        var refusals = 0
        while entry < plan.entriesMax, refusals < 30 {
            do throws(StorageError) {
                try plan.put(entry, in: spaces, of: engine)
                try send(Acknowledgement(writer: 0, action: entry))
                entry += 1
                refusals = 0
            } catch {
                guard error.code == .noSpace else { throw error }
                refusals += 1
            }
        }
        guard plan.end == .closed else {
            try send(DiskChild.done)
            // Until the parent kills this process.
            while true { pause() }
        }
        try engine.close()
        try send(.closed)
    }

    private func send(_ acknowledgement: Acknowledgement) throws(StorageError) {
        do {
            try acknowledgement.send(to: STDOUT_FILENO)
        } catch {
            throw StorageError(.ioFailure, "the parent does not listen: \(error)")
        }
    }
}

/// The child's acknowledgements before its end.
struct DiskChildOutcome {
    private(set) var entries = 0
    private(set) var hasClosed = false
    private var isDone = false

    private static let silenceSecondsMax = 120

    init(_ plan: DiskPlan, at path: String, kinds: [MountedDisk.Kind]) throws {
        let child = try ChildProcess(
            ["disk-child", path, String(plan.seed), kinds.map(\.rawValue).joined(separator: ",")])
        var rest: [UInt8] = []
        do {
            var silence = 0
            while !isDone, !(plan.end == .killedOnTheWay && entries > plan.entriesBeforeKill) {
                guard let bytes = try child.read(waiting: 1000) else { break }
                try take(bytes, &rest)
                silence = bytes.isEmpty ? silence + 1 : 0
                guard silence < DiskChildOutcome.silenceSecondsMax else { throw KillLoopError("the child hangs") }
            }
        } catch {
            child.kill()
            _ = try child.wait()
            throw error
        }
        child.kill()
        while let bytes = try child.read(waiting: -1) { try take(bytes, &rest) }
        let ending = try child.wait()
        guard ending == .killed(signal: SIGKILL) || (ending == .exited(0) && hasClosed) else {
            throw KillLoopError("the child ended with \(ending) after \(entries) entries")
        }
    }

    private mutating func take(_ bytes: [UInt8], _ rest: inout [UInt8]) throws {
        rest += bytes
        let whole = rest.count / Acknowledgement.byteCount * Acknowledgement.byteCount
        for start in stride(from: 0, to: whole, by: Acknowledgement.byteCount) {
            let acknowledgement = Acknowledgement(rest[start..<start + Acknowledgement.byteCount])
            switch acknowledgement.writer {
            case Acknowledgement.closed.writer: (hasClosed, isDone) = (true, true)
            case DiskChild.done.writer: isDone = true
            default:
                guard acknowledgement.action == entries else {
                    throw KillLoopError("acknowledged out of order: \(acknowledgement)")
                }
                entries += 1
            }
        }
        rest.removeFirst(whole)
    }
}
