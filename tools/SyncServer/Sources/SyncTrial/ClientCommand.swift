import ArgumentParser
import AsyncHTTPClient
import HTTPTypes
import NIOCore
import Posix
import ShaleHTTP
import ShaleSync

/// A client of the trial, as a process that may be killed at any time.
struct ClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "client", shouldDisplay: false)

    @Argument var directory: String
    @Option var name: String
    @Option var port: Int
    /// Sent as it is: the server of the trial is reached by this machine only.
    @Option var tokenFile: String
    @Option var seed: UInt64
    /// Writes nothing, synchronises to the end, and prints all records.
    @Flag var settle = false

    func run() async throws {
        let store = try await Store.open(at: directory)
        let http = HTTPClient(configuration: ClientCommand.httpConfiguration())
        let token = try ClientCommand.token(tokenFile)
        let transport = HTTPSyncTransport(
            scheme: "http", authority: "127.0.0.1:\(port)",
            over: AsyncHTTPClientTransport(http, timeout: .seconds(3)),
            headerFields: { [.authorization: "Bearer \(token)"] })
        var options = SyncOptions()
        options.gatherMilliseconds = 5
        options.pullIntervalMilliseconds = 30
        options.firstBackOffMilliseconds = 20
        options.lastBackOffMilliseconds = 200
        let sync = try SyncClient(store.user("trial"), transport: transport, options: options)
        let tallies = try sync.collection(Tally.schema, onConflict: Tally.rule)
        let notes = try sync.collection(Note.schema)
        let ledger = try Ledger(directory + ".ledger", found: try own(tallies))
        guard settle else { return try await write(sync, tallies, notes, ledger) }
        try await synchronise(sync)
        guard let (acknowledged, _) = try Ledger.counts(directory + ".ledger"), try own(tallies) == acknowledged else {
            throw TrialFailure("\(name) has other increments of its own after the synchronisation")
        }
        try await print(tallies, notes)
        await sync.stop()
        try await store.close()
        try await http.shutdown()
    }

    private static func httpConfiguration() -> HTTPClient.Configuration {
        var configuration = AsyncHTTPClientTransport.configuration
        configuration.timeout.connect = .seconds(1)
        configuration.timeout.read = .seconds(3)
        return configuration
    }

    private static func token(_ path: String) throws -> String {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw SystemCallError("open", path) }
        defer { _ = close(file) }
        var bytes: [UInt8] = []
        while try readMore(into: &bytes, upTo: 4096, from: file, named: path) {}
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
    }

    /// The increments of this client in its store.
    private func own(_ tallies: RecordCollection<Tally>) throws -> Int {
        try tallies.query().records().reduce(0) { $0 + ($1.parts[name] ?? 0) }
    }

    /// Writes and synchronises until the process is killed.
    private func write(
        _ sync: SyncClient, _ tallies: RecordCollection<Tally>, _ notes: RecordCollection<Note>,
        _ ledger: Ledger
    ) async throws {
        let running = Task { await sync.run() }
        defer { running.cancel() }
        var random = SeededGenerator(seed: seed)
        while true {
            let id = Int.random(in: 0..<12, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0: try notes.delete(try RecordKey(id))
            case 1...3: try notes.put(Note(id: id, text: "\(name) \(random.next())"))
            default:
                try ledger.willIncrement()
                try await increment(id, tallies)
                try ledger.didIncrement()
            }
            try await Task.sleep(for: .microseconds(Int.random(in: 0..<4000, using: &random)))
        }
    }

    private func increment(_ id: Int, _ tallies: RecordCollection<Tally>) async throws(StorageError) {
        let name = name
        while try !tallies.modify(try RecordKey(id), { $0.parts[name, default: 0] += 1 }) {
            do throws(StorageError) {
                _ = try await tallies.insert(Tally(id: id, parts: [name: 1]))
                return
            } catch {
                // The other client's record came in between.
                guard error.code == .constraintViolated else { throw error }
            }
        }
    }

    private func synchronise(_ sync: SyncClient) async throws {
        for _ in 0..<100 {
            do throws(SyncError) {
                return try await sync.synchronise()
            } catch {
                guard error.code == .offline || error.code == .refused else { throw error }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        throw TrialFailure("\(name) is not in step: \(String(describing: sync.status.lastError))")
    }

    private func print(_ tallies: RecordCollection<Tally>, _ notes: RecordCollection<Note>) async throws {
        var lines = ""
        for tally in try await tallies.query().records() {
            lines += "tally \(tally.id) \(tally.parts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })\n"
        }
        for note in try await notes.query().records() { lines += "note \(note.id) \(note.text)\n" }
        try writeFully(Array(lines.utf8), to: STDOUT_FILENO, named: "standard output")
    }
}
