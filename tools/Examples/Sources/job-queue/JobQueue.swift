// A queue that loses no job. Jobs run in the order in which they were added. A job whose process died before it was
// finished comes back. Several threads may work on the queue.
import ExampleSupport
import Foundation
import Shale
import Synchronization

struct JobQueue: Sendable {
    private let store: Store
    private let waiting: Store.Namespace
    private let taken: Store.Namespace
    private let counters: Store.Namespace

    /// Returns taken jobs to the queue. One process has a store open at a time, so a job that is taken now was taken by
    /// a process that has died. Its key puts it back at its previous position.
    init(_ store: Store) throws {
        self.store = store
        waiting = store.common["jobs"].child("waiting")
        taken = store.common["jobs"].child("taken")
        counters = store.common["jobs"].child("counters")
        try store.write { batch in
            let cursor = taken.entries.cursor()
            while let entry = try cursor.next() {
                try batch.set(try entry.value(as: String.self), forKey: entry.key, in: waiting)
                try batch.remove(entry.key, in: taken)
            }
        }
    }

    /// Adds number and job together. The write is synced: when this returns, the job survives a loss of power.
    func add(_ job: String) throws {
        try store.transaction(attempts: .max, durability: .synced) { transaction in
            let number = (try transaction.value(forKey: "last", in: counters, as: Int.self) ?? 0) + 1
            try transaction.set(number, forKey: "last", in: counters)
            try transaction.set(job, forKey: JobQueue.key(number), in: waiting)
        }
    }

    /// Takes the oldest waiting job out of the queue; returns `nil` if there is none. If two threads try to take the
    /// same job, one transaction commits and the other runs again.
    func take() throws -> (key: EntryKey, job: String)? {
        try store.transaction(attempts: .max) { transaction in
            guard let oldest = try transaction[waiting].entries.first() else { return nil }
            let job = try oldest.value(as: String.self)
            try transaction.remove(oldest.key, in: waiting)
            try transaction.set(job, forKey: oldest.key, in: taken)
            return (oldest.key, job)
        }
    }

    /// Marks a job as done. The write is not synced: after a loss of power the job may run once more. If a job must not
    /// run twice, write its result to the same store in one batch with this.
    func finish(_ key: EntryKey) throws { try taken.remove(key) }

    /// Keys are ordered as bytes, so with leading zeros they have the order of the numbers.
    private static func key(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: 19 - digits.count) + digits
    }
}

@main
struct JobQueueExample {
    static func main() throws {
        let arguments = CommandLine.arguments
        if arguments.count == 3, arguments[1] == "--die" { return try dieAtWork(arguments[2]) }
        try withTemporaryDirectory { directory in
            try letAnotherProcessDie(directory + "/store")
            let store = try Store(at: directory + "/store")
            let queue = try JobQueue(store)
            try whatWasNotFinishedComesBack(queue)
            try manyWorkers(queue)
            try store.close()
        }
    }

    /// The first process: it is killed while it works on the second of three jobs.
    static func dieAtWork(_ path: String) throws {
        let queue = try JobQueue(try Store(at: path))
        for job in ["invoice 1", "invoice 2", "invoice 3"] { try queue.add(job) }
        if let first = try queue.take() { try queue.finish(first.key) }
        _ = try queue.take()
        kill(getpid(), SIGKILL)
    }

    static func letAnotherProcessDie(_ path: String) throws {
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["--die", path]
        try process.run()
        process.waitUntilExit()
        expect(process.terminationReason == .uncaughtSignal, "the first process was killed")
    }

    static func whatWasNotFinishedComesBack(_ queue: JobQueue) throws {
        var done: [String] = []
        while let (key, job) = try queue.take() {
            done.append(job)
            try queue.finish(key)
        }
        expect(done == ["invoice 2", "invoice 3"], "the second process does what is left, in order: \(done)")
        print("the first process died; the second one did \(done)")
    }

    static func manyWorkers(_ queue: JobQueue) throws {
        let jobs = (1...40).map { "letter \($0)" }
        for job in jobs { try queue.add(job) }
        let done = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            do {
                while let (key, job) = try queue.take() {
                    done.withLock { $0.append(job) }
                    try queue.finish(key)
                }
            } catch {
                expect(false, "a worker fails: \(error)")
            }
        }
        let count = done.withLock { $0.count }
        expect(done.withLock { Set($0) } == Set(jobs) && count == jobs.count, "every job is done once")
        print("four threads did \(count) jobs, each of them once")
    }
}
