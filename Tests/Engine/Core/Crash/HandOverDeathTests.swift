import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// Two processes hand a store over with `suspend` and `resume`. One of them dies before any of its calls, and the other
/// goes on: contract M-7, D-1, A-1.
@Suite struct HandOverDeathTests {
    enum Victim: CaseIterable { case first, second }

    @Test(arguments: Victim.allCases) func theOtherProcessGoesOn(_ victim: Victim) throws {
        let step = Ring.choose(commit: 3, nightly: 1, release: 1)
        var point = 0
        var isEnd = false
        while !isEnd {
            let handOver = try HandOver(victim)
            isEnd = try handOver.run(dyingBefore: point)
            try handOver.check("\(victim) dies before call \(point)")
            point += step
        }
        #expect(point > 20 * step)
        Ring.covered(point / step, "deaths around a hand-over")
    }
}

/// A store that goes from a process to another and back, twice.
private final class HandOver {
    private let files = SimulatedFileSystem(seed: 1)
    private let first: Int
    private let second: Int
    private let victim: Int
    private var current = 0
    private var namespace = NamespaceID(rawValue: 1)
    private var engine: Engine?
    private var other: Engine?
    private var suspended: Engine.Suspended?
    /// The number of writes that have returned, each of the next key.
    private var written = 0

    init(_ victim: HandOverDeathTests.Victim) throws {
        first = files.fork()
        second = files.fork()
        self.victim = victim == .first ? first : second
        files.recordsOperations = false
        try perform(first) {
            engine = try ScriptRun.open(files)
            namespace = try engine.unwrapped().createNamespace(named: [1])
        }
    }

    /// Returns true if the processes came to the end.
    func run(dyingBefore death: Int) throws -> Bool {
        var calls = 0
        files.willPerform = { [unowned self] _, _ in
            guard current == victim else { return }
            if calls == death {
                files.inject(
                    FaultRule(on: .all, when: .after(files.operationCount), repeatsForever: true, .error(5)))
            }
            calls += 1
        }
        defer { files.willPerform = nil }
        do {
            for _ in 0..<2 {
                try perform(first) {
                    try write(3, engine)
                    suspended = try engine.unwrapped().suspend()
                }
                try perform(second) {
                    other = try ScriptRun.open(files)
                    try checkContent(other)
                    try write(3, other)
                    try other.unwrapped().close()
                }
                try perform(first) {
                    engine = try suspended.unwrapped().resume()
                    try checkContent(engine)
                }
            }
            return calls <= death
        } catch {
            guard calls > death else { throw error }
            return false
        }
    }

    /// The victim ends, and the other process continues.
    func check(_ place: String) throws {
        files.run(in: victim) { if victim == first { engine = nil } else { other = nil } }
        files.removeFaultRules()
        files.end(victim)
        try perform(victim == first ? second : first) {
            let present: Engine
            if victim == first {
                present = try ScriptRun.open(files)
            } else if let engine, (try? engine.sync()) != nil {
                present = engine
            } else {
                present = try suspended.unwrapped().resume()
            }
            let count = try content(present)
            #expect(count == written || count == written + 1, "\(place): \(count) of \(written) writes")
            written = count
            try write(1, present)
            try present.close()
            let last = try ScriptRun.open(files)
            #expect(try content(last) == written, "\(place)")
            #expect(try last.verify().problems.isEmpty, "\(place)")
            try last.close()
        }
    }

    private func perform(_ process: Int, _ body: () throws -> Void) throws {
        current = process
        defer { current = 0 }
        try files.run(in: process, body)
    }

    private func write(_ count: Int, _ engine: Engine?) throws {
        for _ in 0..<count {
            try engine.unwrapped().put(value(written), forKey: key(written), in: namespace)
            written += 1
        }
    }

    private func checkContent(_ engine: Engine?) throws {
        #expect(try content(engine.unwrapped()) == written)
    }

    /// Returns the number of the keys, which must be the first ones.
    private func content(_ engine: Engine) throws -> Int {
        let entries = try engine.entries(in: namespace).map { ($0.key, $0.value) }
        for (index, entry) in entries.enumerated() {
            #expect(entry.0 == key(index) && entry.1 == value(index))
        }
        return entries.count
    }

    private func key(_ number: Int) -> [UInt8] { [UInt8(number)] }
    private func value(_ number: Int) -> [UInt8] { [UInt8](repeating: UInt8(number), count: 300) }
}

extension Optional {
    fileprivate func unwrapped() throws -> Wrapped { try #require(self) }
}
