import Shale
import ShaleBase
import ShaleCollections
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import ShaleSync

/// A device with a store on a simulated disk, and the client's real code.
final class SyncDevice {
    /// A change of the application that is in the store.
    struct Write {
        enum Kind: Equatable {
            case note(Int, String?)
            case card(Int, String)
            case increment(Int)
        }

        let kind: Kind
        /// The store's sequence after the change. A power cut that goes back behind it has taken the change.
        let sequence: SequenceNumber
        let stamp: SyncStamp
    }

    let number: Int
    let time: ManualTime
    private let random: SeededRandom
    private let options: Store.Options
    private(set) var files: SimulatedFileSystem
    private(set) var store: Store
    private(set) var engine: SyncEngine
    private(set) var notes: RecordCollection<Note>
    private(set) var cards: RecordCollection<Card>
    private(set) var counters: RecordCollection<Counter>
    /// The changes that no power cut has taken.
    private(set) var writes: [Write] = []
    /// The request that waits for a reply.
    var exchange: SyncEngine.Exchange?
    var isPartitioned = false
    private var values = 0

    init(number: Int, seed: UInt64, wall: Int64) throws {
        self.number = number
        time = ManualTime(wallMilliseconds: wall)
        random = SeededRandom(seed: seed)
        options = SyncHost.options(time)
        files = SyncHost.disk(seed: seed)
        store = try SyncHost.open(files, options)
        (engine, notes, cards, counters) = try SyncDevice.client(store, time, random)
    }

    deinit { _ = Result { () throws(StorageError) in try store.close() } }

    private static func client(
        _ store: Store, _ time: ManualTime, _ random: SeededRandom
    ) throws -> (SyncEngine, RecordCollection<Note>, RecordCollection<Card>, RecordCollection<Counter>) {
        let client = try SyncClient(
            store.user("u"), transport: NoTransport(), environment: SyncEnvironment(time: time, random: random))
        return (
            client.engine, try client.collection(Note.schema),
            try client.collection(Card.schema, onConflict: .fieldByField),
            try client.collection(Counter.schema, onConflict: Counter.rule)
        )
    }

    // MARK: Changes

    func write(_ draw: SeededRandom, keys: Int) throws {
        let id = draw.below(keys)
        values += 1
        let value = "\(number)-\(values)"
        let kind: Write.Kind
        switch draw.below(10) {
        case 0..<4:
            try notes.put(Note(id: id, text: value))
            kind = .note(id, value)
        case 4:
            guard try notes.delete(try RecordKey(id)) else { return }
            kind = .note(id, nil)
        case 5..<7:
            var card = try cards.find(try RecordKey(id)) ?? Card(id: id)
            card[keyPath: Card.fields[number]] = value
            try cards.put(card)
            kind = .card(id, value)
        default:
            if try !counters.modify(try RecordKey(id), { $0.value += 1 }) {
                try counters.insert(Counter(id: id, value: 1))
            }
            kind = .increment(id)
        }
        let state = engine.clock.state
        writes.append(
            Write(
                kind: kind, sequence: store.engine.snapshot().sequence,
                stamp: SyncStamp(time: state.time, count: state.count, client: try engine.clientRecord().id)))
    }

    // MARK: Faults

    /// Kills the process or cuts the power, and opens again. Returns the number of changes that were lost.
    func crash(_ draw: SeededRandom) throws -> Int {
        let kind = CrashKind.all[draw.below(CrashKind.all.count)]
        let left = kind.crash(files, seed: draw.next())
        try store.close()
        files = left
        store = try SyncHost.open(files, options)
        let (last, before) = (store.recovery.lastSequence, writes.count)
        writes.removeAll { $0.sequence > last }
        let lost = before - writes.count
        if kind.keepsProcessWrites, lost > 0 { throw SyncDisagreement("a kill lost \(lost) changes") }
        exchange = nil
        (engine, notes, cards, counters) = try SyncDevice.client(store, time, random)
        return lost
    }

    // MARK: State

    /// All records, as text by collection and key.
    func content() throws -> [String: String] {
        var content: [String: String] = [:]
        for note in try notes.query().records() { content["note \(note.id)"] = note.text }
        for card in try cards.query().records() {
            content["card \(card.id)"] = "\([card.a, card.b, card.c, card.d].map { $0 ?? "-" })"
        }
        for counter in try counters.query().records() { content["counter \(counter.id)"] = "\(counter.value)" }
        return content
    }
}

/// The engine is driven by hand: nothing is sent.
private struct NoTransport: SyncTransport {
    func send(_ call: SyncCall, body: [UInt8]) async throws -> SyncReply {
        throw SyncDisagreement("a request that nobody asked for")
    }
}

/// A wrong answer, or a wrong state.
package struct SyncDisagreement: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
