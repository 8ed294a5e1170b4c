package import Shale
public import ShaleBase
package import ShalePlatform

/// The client's side of the protocol, without a network: it makes requests and takes replies.
///
/// A caller repeats ``prepare()``, sending, and ``accept(_:_:)`` until nothing is to be sent. At most one exchange is
/// open. Everything that has to survive is in the store, so an exchange may end at any point: the next one continues.
///
/// The numbers S-1 to S-9 in comments are the invariants of the article "How synchronisation works". Thread-safe.
package final class SyncEngine: Sendable {
    /// A request, and what its reply is for.
    package struct Exchange: Sendable {
        enum Purpose: Sendable {
            case push(number: Int64)
            /// The cursors that were sent.
            case pull([String: String?])
        }

        package let call: SyncCall
        package let body: [UInt8]
        let purpose: Purpose
        let client: String
        fileprivate let id: UInt64
        fileprivate let start: UInt64
    }

    /// The progress of a cycle.
    struct Progress: Sendable {
        /// The collections whose end was reached in this cycle.
        var pulled: Set<String> = []
        /// The open exchange. A reply to another one is ignored.
        var exchange: UInt64 = 0
        /// The number of setbacks since the server has decided on a change, or since the cycle began.
        var setbacks = 0
        var hasEnded = false
        /// The number of noted changes up to which the journal is collected; `nil` at the beginning of a cycle, which
        /// looks through all of it. A change that was noted and committed late is met then.
        var collected: UInt64?
    }

    /// The largest number of records that one transaction applies.
    static let stepMax = 128
    /// The number of setbacks that end a cycle: batches of conflicts only, forgotten cursors, states to repair. An
    /// honest server under load causes two or three.
    package static let setbacksMax = 32

    let names: SyncSpace
    package let clock: HybridClock
    let time: any TimeSource
    let random: any RandomSource
    let outbox = OutboxStart()
    private let collections = Locked<[String: any SyncedRecords]>([:])
    private let progress = Locked(Progress())

    /// Opens the state of a client in a space, and creates it if there is none.
    package init(_ space: Store.Space, time: any TimeSource, random: any RandomSource) throws(StorageError) {
        names = SyncSpace(space)
        self.time = time
        self.random = random
        let (meta, id) = (names.meta, random.identifier())
        let record = try meta.transaction { (transaction) throws(StorageError) in
            let known = try transaction.value(forKey: SyncSpace.client, in: meta, as: ClientRecord.self)
            var record = known ?? ClientRecord(id: id)
            record.openings += 1
            try transaction.set(record, forKey: SyncSpace.client, in: meta, as: .json, options: SyncSpace.options)
            return record
        }
        names.beginOrders(opening: record.openings)
        clock = HybridClock(time: time, state: record.clock)
    }

    // MARK: Collections

    func add(_ records: any SyncedRecords) throws(StorageError) {
        let isNew = collections.withLock { collections in
            guard collections[records.name] == nil else { return false }
            collections[records.name] = records
            return true
        }
        guard isNew else {
            throw .invalid("the client has a collection of this name already collection=\(records.name)")
        }
    }

    func collection(_ name: String) -> (any SyncedRecords)? { collections.withLock { $0[name] } }

    var collectionNames: [String] { collections.withLock { $0.keys.sorted() } }

    // MARK: Exchanges

    /// Begins a cycle: every collection will be asked for changes.
    package func beginCycle() {
        outbox.restart()
        progress.withLock { progress in
            progress.pulled = []
            progress.setbacks = 0
            progress.collected = nil
        }
    }

    /// Asks every collection for changes again, in the same cycle.
    func pullAgain() { progress.withLock { $0.pulled = [] } }

    /// Ends everything. Replies are ignored from now on, and every call throws `.signedOut`.
    func end() { progress.withLock { $0.hasEnded = true } }

    var hasEnded: Bool { progress.withLock { $0.hasEnded } }

    /// True if changes were noted after the last collection.
    func hasNews(since noted: UInt64) -> Bool { progress.withLock { $0.collected != noted } }

    func noteCollected(_ noted: UInt64) { progress.withLock { $0.collected = noted } }

    func notePulled(_ name: String) { _ = progress.withLock { $0.pulled.insert(name) } }

    /// Returns the next request; `nil` if client and server are in step.
    ///
    /// 1. A batch that was sent before is sent again, unchanged, until its outcome is known (S-5).
    /// 2. Then changes are pulled to the end, so that most conflicts are found before a push.
    /// 3. Then a batch is made of pending changes.
    package func prepare() throws(StorageError) -> Exchange? {
        guard !hasEnded else { throw .signedOut }
        try collectChanges()
        let client = try clientRecord()
        if let flight = try names.meta.value(forKey: SyncSpace.flight, as: Flight.self),
            let request = try names.meta.value(forKey: SyncSpace.request, as: [UInt8].self)
        {
            return exchange(.push, request, .push(number: flight.number), client)
        }
        let waiting = progress.withLock { progress in collectionNames.filter { !progress.pulled.contains($0) } }
        if !waiting.isEmpty {
            var cursors: [String: String?] = [:]
            for name in waiting.prefix(SyncLimits.collections) { cursors[name] = try collectionRecord(name).cursor }
            let request = PullRequest(
                client: client.id,
                collections: cursors.sorted { $0.key < $1.key }.map { .init(name: $0.key, cursor: $0.value) })
            return exchange(.pull, request.encoded, .pull(cursors), client)
        }
        for name in collectionNames { try sweep(name) }
        guard let (number, request) = try makeBatch() else { return nil }
        return exchange(.push, request, .push(number: number), client)
    }

    private func exchange(
        _ call: SyncCall, _ body: [UInt8], _ purpose: Exchange.Purpose, _ client: ClientRecord
    ) -> Exchange {
        let id = progress.withLock { progress in
            progress.exchange += 1
            return progress.exchange
        }
        return Exchange(
            call: call, body: body, purpose: purpose, client: client.id, id: id, start: time.monotonicNanoseconds)
    }

    /// Applies the reply to a request. A reply to another request than the last one is ignored.
    ///
    /// - Throws: `.corruption` for a reply that breaks the protocol; `.syncRefused` for a status that is no answer;
    ///   `.syncStalled` after ``setbacksMax`` setbacks; `.signedOut`; the errors of the store.
    package func accept(_ exchange: Exchange, _ reply: SyncReply) throws(StorageError) {
        let isCurrent = progress.withLock { progress in
            guard progress.exchange == exchange.id else { return false }
            progress.exchange += 1
            return true
        }
        guard isCurrent else { return }
        guard !hasEnded else { throw .signedOut }
        guard reply.body.count <= SyncLimits.messageBytes else { throw .corruption("a reply is too large") }
        guard reply.status == 200 else {
            try repair(exchange, reply)
            return try noteSetback()
        }
        let duration = Int64(clamping: (time.monotonicNanoseconds &- exchange.start) / 1_000_000)
        switch exchange.purpose {
        case .push(let number):
            let answer = try PushReply(reply.body)
            clock.measured(answer.time, duration: duration)
            try applyOutcomes(number, answer, of: exchange.client)
            guard answer.decidesNothing else { return progress.withLock { $0.setbacks = 0 } }
            try noteSetback()
        case .pull(let cursors):
            let answer = try PullReply(reply.body)
            clock.measured(answer.time, duration: duration)
            try applyPage(answer, cursors, of: exchange.client)
            if answer.collections.allSatisfy({ $0.cursor == nil }) { try noteSetback() }
        }
    }

    /// Ends the cycle after too many setbacks, so that no server keeps it running for ever. Pages count only if they
    /// have no cursor: each of the others moves one, or ends a collection.
    private func noteSetback() throws(StorageError) {
        let setbacks = progress.withLock { progress in
            progress.setbacks += 1
            return progress.setbacks
        }
        guard setbacks < SyncEngine.setbacksMax else {
            throw StorageError(.syncStalled, "\(setbacks) replies of the server brought nothing forward")
        }
    }

    private func repair(_ exchange: Exchange, _ reply: SyncReply) throws(StorageError) {
        guard reply.status == 409, let repair = ErrorReply.Repair(rawValue: try ErrorReply(reply.body).code) else {
            throw StorageError(.syncRefused, "the server refused a call status=\(reply.status)")
        }
        switch repair {
        case .epoch: try restartAll(epoch: nil, of: exchange.client)
        case .client: try renewIdentity(exchange.client)
        }
    }
}

extension StorageError.Code {
    /// The synchronisation of a space has ended: ``SyncClient/stop()`` was called, or the user was removed.
    public static let signedOut = StorageError.Code(rawValue: "signedOut")

    /// The server did not answer a call of the synchronisation. The message has the status.
    public static let syncRefused = StorageError.Code(rawValue: "syncRefused")

    /// The server answered the calls of a cycle of the synchronisation, and its replies brought nothing forward.
    public static let syncStalled = StorageError.Code(rawValue: "syncStalled")
}

extension StorageError {
    static var signedOut: StorageError { StorageError(.signedOut, "the synchronisation of this space has ended") }
}

extension PushReply {
    /// True if every change of the batch is to be sent again.
    fileprivate var decidesNothing: Bool {
        outcomes.allSatisfy { outcome in
            switch outcome {
            case .applied, .refused: false
            case .conflict, .postponed: true
            }
        }
    }
}
