import ArgumentParser
import Posix

/// Kills clients and server, and cuts the network between them; then compares what they have.
struct KillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kill", abstract: "Kills two clients and a server behind a proxy that cuts.",
        discussion: """
            After the last fault both clients and a new one must have the same records, with
            every acknowledged increment exactly once.
            """)

    @Option(help: "The time with faults.")
    var seconds = 15.0

    @Option(help: "Repeats the plan of the faults. The processes run at their own pace.")
    var seed: UInt64 = .random(in: 0...UInt64.max)

    @Flag(help: "Keeps the stores.")
    var keep = false

    func run() async throws {
        let place = try makeTemporaryDirectory(prefix: "shale-sync-trial")
        let proxy = try await CuttingProxy.start(seed: seed)
        do {
            let trial = try KillTrial(place, proxy, seed: seed)
            try await trial.run(for: .seconds(seconds))
            let increments = try await trial.compare()
            trial.end()
            let figures = proxy.figures
            print(
                "COVERED \(trial.kills) processes killed during a synchronisation | \(increments) increments, "
                    + "\(figures.cut) connections cut, \(figures.bytes >> 10) KiB, seed \(seed)")
        } catch {
            print("SEED=\(seed): \(error); the stores are in \(place)")
            throw ExitCode.failure
        }
        try await proxy.stop()
        if !keep { try removeTree(place) }
    }
}

/// The processes of a trial.
final class KillTrial {
    private static let names = ["a", "b"]

    private let place: String
    private let proxy: CuttingProxy
    private let programs: String
    private var random: SeededGenerator
    private var server: ChildProcess?
    private var clients: [String: ChildProcess] = [:]
    private(set) var kills = 0

    init(_ place: String, _ proxy: CuttingProxy, seed: UInt64) throws {
        self.place = place
        self.proxy = proxy
        random = SeededGenerator(seed: seed ^ 1)
        let program = try executablePath()
        programs = program.lastIndex(of: "/").map { String(program[..<$0]) } ?? "."
        let token = try ChildProcess(programs + "/shale-sync-server", ["token", "trial"])
        guard let line = try token.readLine(), try token.wait() == .exited(0) else {
            throw TrialFailure("the server makes no token")
        }
        let file = unsafe open(tokens, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemCallError("open", tokens) }
        defer { _ = close(file) }
        try writeFully(Array((line + "\n").utf8), to: file, named: tokens)
    }

    private var tokens: String { place + "/tokens" }

    // MARK: Faults

    /// Lets the processes run, with a fault every 50 to 400 ms.
    func run(for duration: Duration) async throws {
        let end = ContinuousClock.now + duration
        try startServer()
        for name in KillTrial.names { try startClient(name) }
        while ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(Int.random(in: 50...400, using: &random)))
            switch Int.random(in: 0..<10, using: &random) {
            case 0...1: try restartServer()
            case 2: try restart("a")
            case 3: try restart("b")
            case 4:
                // All of them at once.
                for name in KillTrial.names { try kill(clients.removeValue(forKey: name), name) }
                try restartServer()
                for name in KillTrial.names { try startClient(name) }
            case 5: proxy.cutAll()
            case 6: proxy.set { $0.isDown.toggle() }
            default:
                let cuts = UInt32.random(in: 0...60, using: &random)
                let delay = UInt32.random(in: 0...40, using: &random)
                proxy.set {
                    $0.isDown = false
                    $0.cuts = cuts
                    $0.delay = delay
                }
            }
        }
    }

    private func startServer() throws {
        let child = try ChildProcess(
            programs + "/shale-sync-server",
            [place + "/server", "--tokens", tokens, "--port", "0", "--log-level", "error"])
        guard let port = try child.readLine().flatMap({ $0.split(separator: ":").last }).flatMap({ Int($0) }) else {
            throw TrialFailure("the server does not start: \(try child.wait())")
        }
        server = child
        proxy.set { $0.target = port }
    }

    private func restartServer() throws {
        try kill(server, "the server")
        try startServer()
    }

    private func startClient(_ name: String) throws {
        clients[name] = try ChildProcess(try executablePath(), arguments(name))
    }

    private func arguments(_ name: String) -> [String] {
        [
            "client", "\(place)/\(name)", "--name", name, "--port", "\(proxy.port)", "--token-file", tokens, "--seed",
            "\(random.next())",
        ]
    }

    private func restart(_ name: String) throws {
        try kill(clients.removeValue(forKey: name), name)
        try startClient(name)
    }

    private func kill(_ child: ChildProcess?, _ name: String) throws {
        guard let child else { return }
        child.kill()
        let ending = try child.wait()
        guard ending == .killed(signal: SIGKILL) else { throw TrialFailure("\(name) ended by itself: \(ending)") }
        kills += 1
    }

    // MARK: The end

    /// Ends all faults, lets the clients settle, and compares them with each other and with a new one. Returns the
    /// number of increments.
    func compare() async throws -> Int {
        for name in KillTrial.names { try kill(clients.removeValue(forKey: name), name) }
        try restartServer()
        proxy.set { faults in
            faults.isDown = false
            faults.cuts = 0
            faults.delay = 0
        }
        // The second round of "a" gets what "b" has sent in the first.
        _ = try settle("a")
        let (b, a, new) = (try settle("b"), try settle("a"), try settle("c"))
        guard a == b, a == new else {
            throw TrialFailure("the clients disagree:\n\(a)\n-- b\n\(b)\n-- new\n\(new)")
        }
        return try KillTrial.names.reduce(0) { sum, name in
            sum + (try Ledger.counts("\(place)/\(name).ledger")?.acknowledged ?? 0)
        }
    }

    /// Lets a client synchronise to the end. Returns its records.
    private func settle(_ name: String) throws -> String {
        let child = try ChildProcess(try executablePath(), arguments(name) + ["--settle"])
        var lines = ""
        while let line = try child.readLine() { lines += line + "\n" }
        let ending = try child.wait()
        guard ending == .exited(0) else { throw TrialFailure("client \(name) did not settle: \(ending)") }
        return lines
    }

    /// Ends the processes that still run.
    func end() {
        for child in clients.values { child.kill() }
        server?.kill()
    }
}
