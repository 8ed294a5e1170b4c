import ArgumentParser

/// Trials of the synchronisation with real processes and connections.
@main
struct SyncTrial: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync-trial",
        abstract: "Kills clients and a server behind a proxy that cuts, or measures the speed over loopback.",
        subcommands: [KillCommand.self, MeasureCommand.self, ClientCommand.self], defaultSubcommand: KillCommand.self)
}

/// A wrong state.
struct TrialFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A generator with a seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
