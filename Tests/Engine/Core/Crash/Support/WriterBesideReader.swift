import ShaleBase
import ShaleEngine
import ShaleSimulation

/// A store whose writer continues a script while a reader makes calls of the file system.
final class WriterBesideReader {
    private static let start: [CrashStep] =
        [.create("a"), .create("b"), .put("b", 1), .put("a", 1, purgeable: true), .flush]
        + [.put("a", 2, purgeable: true), .put("b", 2, synced: true)]

    let run: ScriptRun
    private(set) var progress = CrashProgress()
    /// The number of calls that the reader has made in ``working(at:_:while:)``.
    private(set) var callCount = 0
    /// The error of the writer in ``working(at:_:while:)``.
    private(set) var failure: StorageError?
    private var next = 0

    /// Opens a store and performs the first steps. `work` follows three times.
    init(_ work: [CrashStep]) throws(StorageError) {
        run = ScriptRun(CrashScript("race", WriterBesideReader.start + work + work + work))
        try run.open()
        try perform(WriterBesideReader.start.count)
    }

    /// Performs the next `count` steps, as far as there are some.
    func perform(_ count: Int) throws(StorageError) {
        for _ in 0..<count where next < run.script.steps.count {
            progress.begin(run.script.steps[next], index: next)
            try run.perform(run.script.steps[next], next)
            progress.end(run.script.steps[next])
            next += 1
        }
    }

    /// Runs `reading`, and performs `count` steps at each of its calls with a number, from 1, in `calls`.
    func working<R>(
        at calls: ClosedRange<Int>, _ count: Int, while reading: () throws(StorageError) -> R
    ) throws(StorageError) -> R {
        var isInside = false
        run.files.willPerform = { [self] _, _ in
            if isInside { return }
            callCount += 1
            guard calls.contains(callCount) else { return }
            isInside = true
            do throws(StorageError) { try perform(count) } catch { failure = error }
            isInside = false
        }
        defer { run.files.willPerform = nil }
        return try reading()
    }
}
