import ArgumentParser
import Formatting
import Shale

struct WatchCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows a running store's statistics as they change.",
        discussion: """
            EXAMPLES
              shale watch DIR
              shale watch DIR --interval 5
              shale watch DIR --format ndjson --count 60 > hour.ndjson

            Opens the store for reading at each interval, without disturbing the process
            that has it open. Opening takes as long as reading the store's logs. Memtables,
            cache, write amplification and pressure are what that process published last,
            at most a second before. ^C ends the command with code 0.
            """)

    @OptionGroup var store: StoreArgument

    @Option(help: "The seconds between two readings, 0.1 to 3600.")
    var interval = 2.0

    @Option(help: "End after this many readings; default: when interrupted.")
    var count: Int?

    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        guard 0.1...3600 ~= interval else { throw ValidationError("--interval takes 0.1 to 3600") }
        if let count, count < 1 { throw ValidationError("--count takes 1 or more") }
        if output.format == .json { throw ValidationError("watch can't print one JSON object: use ndjson or csv") }
    }

    func run() throws {
        Interruption.catchIt()
        let clock = ContinuousClock()
        var earlier: (look: WatchLook, at: ContinuousClock.Instant)?
        var looks = 0
        while !Interruption.hasCome {
            let now = clock.now
            var look = try WatchLook(store.path)
            if let earlier { look.compare(with: earlier.look, seconds: (now - earlier.at).seconds) }
            try show(look, isFirst: looks == 0)
            earlier = (look, now)
            looks += 1
            if looks == count { break }
            Interruption.wait(until: now + .seconds(interval))
        }
    }

    private func show(_ look: WatchLook, isFirst: Bool) throws {
        switch output.format {
        case .human:
            // Redraws in place on a terminal; elsewhere prints one after the other.
            let isScreen = Terminal.isOutputInteractive
            try Terminal.print(isScreen ? "\u{1b}[H\u{1b}[2J\(look.text)" : (isFirst ? "" : "\n") + look.text)
        case .json, .ndjson: try Terminal.print(jsonText(Envelope(command: "watch", body: look)))
        case .csv:
            let columns = WatchLook.CodingKeys.allCases.map(\.rawValue)
            if isFirst { try Terminal.print(CSV.names(columns)) }
            try Terminal.print(CSV.line(of: look, columns))
        }
    }
}
