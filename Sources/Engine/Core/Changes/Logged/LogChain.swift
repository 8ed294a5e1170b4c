import ShaleBase
import ShaleLog
import ShaleManifest
import ShalePlatform

/// The logs of a store in their order, also those that the store no longer needs. One thread at a time.
///
/// A log follows the one that its header names, or any log if it names none, which it does after a clean close. A log
/// that lost its end in a power failure has a second successor that recovery did not replay. That one is no part of the
/// chain, because the newest log leads back past it.
struct LogChain {
    private let directory: any Directory
    /// In ascending order.
    private var logs: [LogFollower] = []

    init(in directory: any Directory) { self.directory = directory }

    /// Finds new logs, and forgets those before `first`.
    ///
    /// - Returns: The logs with a header, oldest first. One without was made ahead.
    mutating func begun(from first: UInt64) throws(StorageError) -> [LogFollower] {
        let names: [String]
        do { names = try directory.list() } catch { throw error.storageError }
        let numbers = names.compactMap { StoreLayout.logNumber($0) }.filter { $0 >= first }.sorted()
        var known: [LogFollower] = []
        for number in numbers {
            if let log = logs.first(where: { $0.number == number }) {
                known.append(log)
            } else if let log = try open(number) {
                known.append(log)
            }
        }
        logs = known
        return try known.begun()
    }

    /// Returns `nil` if the log was deleted since the directory was read.
    private func open(_ number: UInt64) throws(StorageError) -> LogFollower? {
        let path = StoreLayout.logPath(number)
        do throws(IOFailure) {
            return LogFollower(
                try directory.open(StoreLayout.log(number)), path: path, number: number, kind: .wal)
        } catch {
            if error.isMissing { return nil }
            throw error.storageError.inFile(path)
        }
    }

    /// Returns the log of the chain in which the changes after `sequence` begin, or the oldest one if they begin before
    /// it. `logs` is what ``begun(from:)`` has returned, and not empty.
    static func start(after sequence: SequenceNumber, in logs: [LogFollower]) -> LogFollower? {
        var index = logs.count - 1
        while index > 0, let header = logs[index].header, header.previous.lastSequence > sequence,
            let before = predecessor(of: index, in: logs)
        {
            index = before
        }
        return index >= 0 ? logs[index] : nil
    }

    private static func predecessor(of index: Int, in logs: [LogFollower]) -> Int? {
        guard let previous = logs[index].header?.previous else { return nil }
        if previous.number == 0 { return index - 1 }
        return logs[..<index].lastIndex { $0.number == previous.number }
    }

    /// True if `successor`, the first log after `log`, continues it, and `log` was read to its end.
    static func isContinued(_ log: LogFollower, by successor: LogFollower) -> Bool {
        guard let previous = successor.header?.previous else { return false }
        return previous.number == 0 || previous.number == log.number && log.position >= previous.size
    }
}
