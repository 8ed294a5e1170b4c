import Formatting
import Foundation

/// Counts the instructions of every hot path and compares them with the file of thresholds.
struct InstructionGate {
    private let options: Options
    private let file: URL

    init(_ options: Options) {
        self.options = options
        file = URL(fileURLWithPath: options.files).appendingPathComponent(Thresholds.fileName)
    }

    /// Returns true if nothing is worse than recorded.
    func run() async throws -> Bool {
        let thresholds = try Thresholds(String(contentsOf: file, encoding: .utf8))
        let listed = try await ListedHotPath.all(binary: options.binary)
        let chosen = options.names.isEmpty ? listed : listed.filter { options.names.contains($0.name) }
        guard !chosen.isEmpty else { throw GateError("no hot path has such a name") }
        // Counts twice: a count is only meaningful if both runs agree.
        let names = chosen.map(\.name)
        let profiles = try await Callgrind(binary: options.binary).profiles(names + names)
        let samples = chosen.indices.map { index in
            Sample(chosen[index], profiles[index], again: profiles[index + chosen.count])
        }
        if options.updates { return try update(thresholds, samples) }
        return try await judge(thresholds, samples, isWhole: options.names.isEmpty)
    }

    private func update(_ old: Thresholds, _ samples: [Sample]) throws -> Bool {
        let lines = samples.map { sample in
            Thresholds.Line(
                name: sample.path.name, recorded: sample.measured,
                tolerance: old[sample.path.name]?.tolerance ?? Thresholds.standardTolerance)
        }
        InstructionTable(old).print(samples)
        try Data(Thresholds(compiler: options.compiler, lines: lines).text.utf8).write(to: file)
        print("wrote \(file.path)")
        return true
    }

    private func judge(_ thresholds: Thresholds, _ samples: [Sample], isWhole: Bool) async throws -> Bool {
        InstructionTable(thresholds).print(samples)
        var isHeld = true
        for sample in samples {
            guard let line = thresholds[sample.path.name] else {
                print("\n\(sample.path.name) has no threshold: tools/gate --update records one")
                isHeld = false
                continue
            }
            let excesses = line.excesses(sample.measured)
            guard !excesses.isEmpty else { continue }
            isHeld = false
            print("\n\(sample.path.name) (\(sample.path.operation)) takes more \(excesses.joined(separator: ", "))")
            try await ProfileSummary(sample.profile, operations: sample.path.operations).print()
        }
        for line in thresholds.lines where isWhole && !samples.contains(where: { $0.path.name == line.name }) {
            print("\n\(line.name) has a threshold and does not exist: tools/gate --update removes it")
            isHeld = false
        }
        if !isHeld {
            print("\nWhere that is the price of something worth it: tools/gate --update, and say why in the commit.")
            print("The thresholds are in \(file.path).")
        }
        if thresholds.compiler != options.compiler {
            print("\nThe thresholds were recorded with another compiler, so other numbers may mean nothing:")
            print("  recorded: \(thresholds.compiler)\n  here:     \(options.compiler)")
        }
        return isHeld
    }
}

/// Two profiles of one hot path.
struct Sample {
    let path: ListedHotPath
    let profile: CallgrindProfile
    let measured: Measurement
    /// The difference between the two runs in instructions per operation.
    let spread: Double

    init(_ path: ListedHotPath, _ first: CallgrindProfile, again second: CallgrindProfile) {
        self.path = path
        // Uses the larger count: if the smaller one were recorded, the gate would fail at random.
        profile = first.instructions >= second.instructions ? first : second
        measured = Measurement(profile, operations: path.operations)
        spread = Double(abs(first.instructions - second.instructions)) / Double(path.operations)
    }
}

/// A hot path as `hot-paths --list` describes it.
struct ListedHotPath: Equatable {
    let name: String
    let operations: Int
    let operation: String

    static func all(binary: String) async throws -> [ListedHotPath] {
        try await Command.output(binary, ["--list"]).split(separator: "\n").map { line in
            let fields = line.split(separator: "\t").map(String.init)
            guard fields.count == 3, let operations = Int(fields[1]) else { throw GateError("no hot path: \(line)") }
            return ListedHotPath(name: fields[0], operations: operations, operation: fields[2])
        }
    }
}

/// A table of measured and recorded values, one hot path per line.
struct InstructionTable {
    private let thresholds: Thresholds

    init(_ thresholds: Thresholds) { self.thresholds = thresholds }

    func print(_ samples: [Sample]) {
        Swift.print("per operation         instructions  recorded  ratio  spread  ref counts  allocations  runtime  ")
        for sample in samples { Swift.print(row(sample)) }
    }

    private func row(_ sample: Sample) -> String {
        let line = thresholds[sample.path.name]
        let measured = sample.measured
        let name = sample.path.name.padded(to: 22)
        let ratio = line.map { Format.fixed(measured.instructions / $0.recorded.instructions, 3) } ?? "-"
        let recorded = line.map { Format.fixed($0.recorded.instructions, 1) } ?? "-"
        let columns =
            [
                (Format.fixed(measured.instructions, 1), 12), (recorded, 10), (ratio, 7),
                (Format.fixed(sample.spread, 2), 8), (Format.fixed(measured.referenceCounts, 3), 12),
                (Format.fixed(measured.allocations, 3), 13), (Format.fixed(measured.runtimeCalls, 3), 9),
            ].map { text, width in text.paddedLeft(to: width) }
        return name + columns.joined() + "  " + verdict(line, measured)
    }

    private func verdict(_ line: Thresholds.Line?, _ measured: Measurement) -> String {
        guard let line else { return "new" }
        if !line.excesses(measured).isEmpty { return "WORSE" }
        return measured.instructions < line.recorded.instructions * (1 - line.tolerance / 100) ? "better" : "ok"
    }
}

/// The distribution of a hot path's instructions and the callers of the runtime, for finding the cause of a regression.
struct ProfileSummary {
    private static let functionMax = 8
    private let profile: CallgrindProfile
    private let operations: Double

    init(_ profile: CallgrindProfile, operations: Int) {
        self.profile = profile
        self.operations = Double(operations)
    }

    func print() async throws {
        let calls = profile.calls.filter { call, _ in
            call.caller.object != call.callee.object && RuntimeCall(symbol: call.callee.plainSymbol) != nil
        }
        var symbols = Set(profile.ownInstructions.keys.map(\.symbol))
        symbols.formUnion(calls.keys.flatMap { [$0.caller.symbol, $0.callee.symbol] })
        let names = try await Demangler.names(of: symbols)
        let largest = profile.ownInstructions.sorted { ($0.value, $1.key.symbol) > ($1.value, $0.key.symbol) }
        Swift.print("  instructions, by function")
        for (function, count) in largest.prefix(ProfileSummary.functionMax) {
            Swift.print(perOperation(count), names[function.symbol] ?? function.symbol)
        }
        if calls.isEmpty { return }
        Swift.print("  calls of the runtime")
        for (call, count) in calls.sorted(by: { ($0.value, $1.key.caller.symbol) > ($1.value, $0.key.caller.symbol) }) {
            guard Double(count) / operations >= 0.001 else { continue }
            let caller = names[call.caller.symbol] ?? call.caller.symbol
            Swift.print(perOperation(count), caller, "->", names[call.callee.symbol] ?? call.callee.symbol)
        }
    }

    private func perOperation(_ count: Int) -> String { String(format: "  %10.3f", Double(count) / operations) }
}
