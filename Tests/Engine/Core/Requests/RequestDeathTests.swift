import ShaleBase
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

/// A requester and an owner, one of which dies before any of its calls: contract M-8.
@Suite struct RequestDeathTests {
    @Test func theOwnerGoesOnWithoutARequester() throws {
        try forEachDeath { point in
            let exchange = try Exchange()
            let isEnd = try exchange.run(victim: .requester, dyingBefore: point)
            exchange.endRequester()
            try exchange.look()
            #expect(exchange.mailbox.isEmpty, "point \(point): \(exchange.mailbox)")
            try exchange.checkContent("point \(point)")
            exchange.request()
            #expect(exchange.result == nil, "point \(point)")
            return isEnd
        }
    }

    @Test func aRequesterIsToldThatTheOwnerHasDied() throws {
        try forEachDeath { point in
            let exchange = try Exchange()
            let start = exchange.time.monotonicNanoseconds
            let isEnd = try exchange.run(victim: .owner, dyingBefore: point)
            #expect(exchange.time.monotonicNanoseconds - start < 12_000_000_000, "point \(point)")
            #expect(isEnd || exchange.result == nil || exchange.result == .unavailable, "point \(point)")
            if !isEnd { try exchange.succeed() }
            try exchange.look()
            #expect(exchange.mailbox.isEmpty, "point \(point): \(exchange.mailbox)")
            try exchange.checkContent("point \(point)")
            return isEnd
        }
    }

    private func forEachDeath(_ body: (Int) throws -> Bool) throws {
        var point = 0
        while try !body(point) { point += 1 }
        #expect(point > 10)
        Ring.covered(point, "deaths around a request")
    }
}

/// A purge that one process asks another for, on one thread: the requester's waits are the owner's looks.
private final class Exchange {
    enum Victim { case requester, owner }

    let time = ManualTime()
    /// The error of the last request; `nil` if it was done.
    private(set) var result: StorageError.Code?
    private let files = SimulatedFileSystem(seed: 1)
    private let requester: Int
    private let owner: Int
    private let successor: Int
    private var engine: Engine?
    private var server: RequestServer?
    private var namespace = NamespaceID(rawValue: 1)
    private var actor = Victim.requester
    private var isDead = false

    private static let keys = 60

    init() throws {
        files.recordsOperations = false
        requester = files.fork()
        owner = files.fork()
        successor = files.fork()
        try files.run(in: owner) {
            try open()
            let engine = try #require(engine)
            namespace = try engine.createNamespace(named: [1])
            for number in 0..<Exchange.keys {
                try engine.put(
                    [UInt8](repeating: 1, count: 200), forKey: [UInt8(number)], in: namespace,
                    options: PutOptions(isPurgeable: number % 2 == 0))
            }
            try engine.flush()
        }
    }

    var mailbox: [String] { files.paths().filter { $0.contains("/requests") } }

    private func open() throws {
        var options = TestStore.smallOptions
        options.time = time
        let engine = try TestStore.open(files, options)
        self.engine = engine
        server = RequestServer(engine.core) { false }
    }

    /// Returns true if nobody has died.
    func run(victim: Victim, dyingBefore death: Int) throws -> Bool {
        var calls = 0
        files.willPerform = { [unowned self] _, _ in
            guard actor == victim, !isDead else { return }
            if calls == death {
                isDead = true
                files.inject(
                    FaultRule(on: .all, when: .after(files.operationCount), repeatsForever: true, .error(5)))
            }
            calls += 1
        }
        request()
        files.willPerform = nil
        return !isDead
    }

    func request() {
        var request = OwnerRequest(work: .reclaim)
        request.purged = [namespace]
        result = files.run(in: requester) {
            code { () throws(StorageError) in
                let client = try RequestClient(at: "/store", files, time: time) { [unowned self] in wait() }
                let end = time.monotonicNanoseconds + 20_000_000_000
                _ = try client.run(request) { (_) throws(StorageError) in
                    if time.monotonicNanoseconds > end { throw StorageError(.cancelled, "nobody answers") }
                }
            }
        }
    }

    private func wait() {
        time.advance(milliseconds: 100)
        guard !isDead else { return }
        actor = .owner
        defer { actor = .requester }
        files.run(in: owner) { if server?.isAsked() == true { server?.serve() } }
        if isDead { endOwner() }
    }

    private func endOwner() {
        files.run(in: owner) {
            server = nil
            engine = nil
        }
        files.removeFaultRules()
        files.end(owner)
    }

    func endRequester() {
        files.removeFaultRules()
        files.end(requester)
        isDead = false
    }

    /// Another process opens the store of a dead owner.
    func succeed() throws { try files.run(in: successor) { try open() } }

    /// The owner's looks over 3 s.
    func look() throws {
        for _ in 0..<6 {
            if server?.isAsked() == true { server?.serve() }
            time.advance(milliseconds: 500)
        }
    }

    /// Either all purgeable entries are there or none.
    func checkContent(_ place: String) throws {
        let engine = try #require(engine)
        let count = try engine.count(in: namespace)
        #expect(count == Exchange.keys || count == Exchange.keys / 2, "\(place): \(count)")
        for number in 0..<Exchange.keys where number % 2 == 1 {
            #expect(try engine.value(forKey: [UInt8(number)], in: namespace) != nil, "\(place)")
        }
        #expect(try engine.verify().problems.isEmpty, "\(place)")
    }
}
