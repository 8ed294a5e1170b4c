import Formatting
import Posix

/// reopen: after a clean close. crashreopen: after SIGKILL with a nearly full write buffer, which is recovered from the
/// log. Both measure only the opening, with the files in the page cache.
extension Workbench {
    private static let openings = 5

    func reopen(_ step: Assignment.Step) throws {
        try settle()
        var times: [Double] = []
        for _ in 0..<Workbench.openings {
            try close()
            let began = Clock.now
            try open()
            times.append(Clock.seconds(since: began))
        }
        var row = row(step.workload, operations: 1, seconds: times.median)
        row.milliseconds = times.median * 1e3
        row.peakResidentBytes = Resources.peakResidentBytes
        row.settledDiskBytes = Int(try DirectorySize(of: assignment.directory).allocatedBytes)
        row.note = "median of \(times.count), longest \(Format.seconds(times.max() ?? 0))"
        try verify()
        try emit(row)
    }

    func reopenAfterCrash(_ step: Assignment.Step) throws {
        try reset()
        try close()
        let count = try CrashChild.run(assignment)
        contents = Contents(count: count, after: "fill")
        var (row, _) = try measureStep(step.workload) { try open() }
        row.note = "\(Format.grouped(Double(count - entries))) entries in the write buffer"
        try settle()
        try verify()
        try emit(row)
        contents = Contents()
    }
}

/// A process that fills a store and is killed.
enum CrashChild {
    /// The fill level of the write buffer at the kill.
    private static let fill = 0.9

    /// Fills the store of `assignment` in a child and kills the child when its write buffer is nearly full. Returns the
    /// number of acknowledged entries.
    static func run(_ assignment: Assignment) throws -> Int {
        let child = try ChildProcess(try thisProgram, ["crash", try assignment.encoded()])
        let answer = try child.readLine()
        child.kill()
        _ = try child.wait()
        guard let answer, let count = Int(answer) else { throw BenchError("the child ended without an answer") }
        return count
    }

    /// Runs in the child: puts the assignment's entries, settles, then puts more until the write buffer is nearly full.
    ///
    /// Prints their number and waits to be killed. For peers that don't report the fill level, puts three fifths of the
    /// write buffer in raw bytes.
    static func fill(_ assignment: Assignment) throws {
        let peer = try assignment.peer.peer(at: assignment.directory, assignment.settings)
        let bench = Workbench(assignment, peer) { _ in }
        try bench.open()
        let session = try bench.peer.session(isSynced: false)
        let order = Permutation(count: assignment.entries, seed: assignment.seed)
        var key = KeyBuffer(byteCount: assignment.settings.keyBytes)
        func put(_ index: Int) throws {
            key.set(index)
            try session.put(bench.values.value(index, 0), forKey: key.span)
        }
        for position in 0..<assignment.entries { try put(order[position]) }
        try bench.settle()
        let bufferBytes = assignment.settings.writeBufferBytes
        var count = assignment.entries
        while Double(bench.peer.writeBufferBytesUsed ?? 0) < fill * Double(bufferBytes),
            (count - assignment.entries) * assignment.settings.entryBytes
                < (bench.peer.writeBufferBytesUsed == nil ? bufferBytes / 5 * 3 : bufferBytes)
        {
            for _ in 0..<1000 {
                try put(count)
                count += 1
            }
        }
        try writeFully(Array("\(count)\n".utf8), to: STDOUT_FILENO, named: "standard output")
        while true { pause() }
    }
}
