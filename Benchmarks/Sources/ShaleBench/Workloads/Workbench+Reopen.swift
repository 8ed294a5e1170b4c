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
