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
        let listed = try ListedHotPath.all(binary: options.binary)
        let chosen = options.names.isEmpty ? listed : listed.filter { options.names.contains($0.name) }
        guard !chosen.isEmpty else { throw GateError("no hot path has such a name") }
        // Counts twice: a count is only meaningful if both runs agree.
        let names = chosen.map(\.name)
        let profiles = try await Callgrind(binary: options.binary).profiles(names + names)
        let samples = chosen.indices.map { index in
            Sample(chosen[index], profiles[index], again: profiles[index + chosen.count])
        }
        if options.updates { return try update(thresholds, samples) }
        return try judge(thresholds, samples, isWhole: options.names.isEmpty)
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

    private func judge(_ thresholds: Thresholds, _ samples: [Sample], isWhole: Bool) throws -> Bool {
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
            try ProfileSummary(sample.profile, operations: sample.path.operations).print()
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
