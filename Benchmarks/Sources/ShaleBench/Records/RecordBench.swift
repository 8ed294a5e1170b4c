import Formatting

/// The load of a collection of records with two indexes.
final class RecordBench: Bench {
    static let batchCount = 1000
    private static let pageCount = 20
    private static let openings = 5

    private let peer: any RecordPeer
    /// Sets the same records under keys of a plain namespace; `nil` for peers without one.
    private let plain: (any PlainRecordPeer)?
    /// The number of people in the store: 0 ..< filled.
    private var filled = 0
    private var hasNewAges = false

    init(_ assignment: Assignment, _ peer: any RecordPeer, report: @escaping (ResultRow) throws -> Void) {
        self.peer = peer
        plain = peer as? any PlainRecordPeer
        super.init(assignment, peer, report: report)
    }

    private var entries: Int { assignment.entries }

    func run() throws {
        for step in assignment.steps {
            switch step.workload {
            case .recordinsert: try insertSingly()
            case .recordbatch: try emit(try insertInBatches())
            case .recordfind: try find()
            case .recordrange: try readRanges()
            case .recordmodify: try modify()
            case .recordcount: try count()
            case .recordopen: try reopen()
            case .recordindex: try index()
            default: throw BenchError("\(step.workload) is not about records")
            }
        }
        try close()
    }

    private func requirePeople() throws {
        if filled == 0 { _ = try insertInBatches() }
        try open()
    }

    // MARK: Writing

    /// Inserts one by one. Before that, for Shale, plain sets of the same records as a row of their own.
    private func insertSingly() throws {
        if let plain {
            try begin()
            var (row, _) = try measureOperations(.recordinsert, entries) { number in
                try plain.setPlainly(BenchPerson(number: number))
            }
            row.peer = PlainRecords.name
            row.note = PlainRecords.summary
            try emit(row)
        }
        try begin()
        let (row, _) = try measureOperations(.recordinsert, entries) { number in
            try peer.insert(BenchPerson(number: number))
        } settling: { row, start, done in
            try self.settle(&row, since: start, people: done)
        }
        filled = entries
        try verify()
        try emit(row)
    }

    private func insertInBatches() throws -> ResultRow {
        try begin()
        let batches = (entries + RecordBench.batchCount - 1) / RecordBench.batchCount
        var (row, _) = try measureOperations(.recordbatch, batches) { batch in
            let first = batch * RecordBench.batchCount
            let numbers = first..<min(entries, first + RecordBench.batchCount)
            try peer.insert(contentsOf: numbers.map { BenchPerson(number: $0) })
        } settling: { row, start, _ in
            try self.settle(&row, since: start, people: self.entries)
        }
        // The rate is that of records; latencies are those of batches.
        row.operations = entries
        row.perSecond = row.seconds > 0 ? Double(entries) / row.seconds : 0
        row.settledPerSecond = row.settleSeconds.map { Double(entries) / (row.seconds + $0) }
        filled = entries
        try verify()
        return row
    }

    private func begin() throws {
        try remove()
        try open()
        (filled, hasNewAges) = (0, false)
    }

    private func settle(_ row: inout ResultRow, since start: Start, people: Int) throws {
        let bytes = (0..<people).reduce(0) { $0 + BenchPerson(number: $1).byteCount }
        try settle(&row, since: start, userBytes: bytes, liveBytes: bytes)
    }

    private func modify() throws {
        try requirePeople()
        let order = FillOrder.shuffled(Permutation(count: filled, seed: assignment.seed))
        let (row, _) = try measureOperations(.recordmodify, min(filled, assignment.operationsMax)) { position in
            let number = order[position]
            try peer.setAge((BenchPerson.age(number) + 1) % BenchPerson.ageCount, ofPerson: number)
        }
        hasNewAges = true
        try verify()
        try emit(row)
    }

    // MARK: Reading

    private func find() throws {
        try requirePeople()
        let (row, _) = try measureOperations(.recordfind, min(filled, assignment.operationsMax)) { position in
            try check(pick(assignment.seed &+ UInt64(position), below: filled))
        }
        try emit(row)
    }

    private func readRanges() throws {
        try requirePeople()
        let operations = max(1, min(filled, assignment.operationsMax) / 10)
        let (row, _) = try measureOperations(.recordrange, operations) { position in
            let age = pick(assignment.seed &+ UInt64(position), below: BenchPerson.ageCount * 9 / 10)
            let people = try peer.people(fromAge: age, limit: RecordBench.pageCount)
            // Small stores may have fewer people of the highest ages.
            let isFull = people.count == RecordBench.pageCount || filled < 10_000
            guard isFull, people.allSatisfy({ $0.age >= age }) else {
                throw BenchError.wrong("people from the age \(age)")
            }
        }
        try emit(row)
    }

    private func count() throws {
        try requirePeople()
        let operations = max(1, min(filled, assignment.operationsMax) / 100)
        var found = 0
        let (row, _) = try measureOperations(.recordcount, operations) { position in
            found += try peer.count(age: position % BenchPerson.ageCount)
        }
        if operations % BenchPerson.ageCount == 0, found != filled * (operations / BenchPerson.ageCount) {
            throw BenchError.wrong("the ages of \(filled) people count \(found)")
        }
        try emit(row)
    }

    /// An update that ended early leaves some old ages.
    private func check(_ number: Int) throws {
        guard var found = try peer.person(email: BenchPerson.email(number)) else {
            throw BenchError.wrong("person \(number) is missing")
        }
        let expected = BenchPerson(number: number)
        if hasNewAges, found.age == (expected.age + 1) % BenchPerson.ageCount { found.age = expected.age }
        guard found == expected else { throw BenchError.wrong("person \(number)") }
    }

    private func verify() throws {
        for number in stride(from: 0, to: filled, by: max(1, filled / 1000)) { try check(number) }
    }

    // MARK: Steps

    private func reopen() throws {
        try requirePeople()
        try settle()
        var times: [Double] = []
        for _ in 0..<RecordBench.openings {
            try close()
            let began = Clock.now
            try open()
            times.append(Clock.seconds(since: began))
        }
        var row = row(.recordopen, operations: 1, seconds: times.median)
        row.milliseconds = times.median * 1e3
        row.peakResidentBytes = Resources.peakResidentBytes
        row.note = "median of \(times.count), longest \(Format.seconds(times.max() ?? 0))"
        try verify()
        try emit(row)
    }

    private func index() throws {
        try requirePeople()
        try settle()
        let (row, _) = try measureStep(.recordindex) { try peer.indexNames() }
        try verify()
        try emit(row)
    }

    /// Makes a row with the sizes of a key and of an average record.
    override func row(_ workload: Workload, operations: Int, seconds: Double) -> ResultRow {
        var row = super.row(workload, operations: operations, seconds: seconds)
        row.keyBytes = 8
        row.valueBytes = 90
        return row
    }
}

/// A peer that also sets records without indexes.
protocol PlainRecordPeer {
    func setPlainly(_ person: BenchPerson) throws
}

/// The yardstick of an insertion.
enum PlainRecords {
    static let name = "plainset"
    static let summary = "namespace.set(record, forKey:, as: .compact), no index and no constraint"
}
