import Formatting
import Foundation

/// The file of thresholds: the accepted cost of each hot path when it was last recorded.
struct Thresholds: Equatable {
    struct Line: Equatable {
        var name: String
        var recorded: Measurement
        /// The percentage by which instructions may exceed the recorded number.
        var tolerance: Double
    }

    static let fileName = "instructions.txt"
    static let standardTolerance = 2.0
    /// The excess in calls per operation that counts as none: one call per block or run is not one per operation.
    static let callTolerance = 0.02

    var compiler: String
    var lines: [Line]

    init(compiler: String, lines: [Line]) {
        self.compiler = compiler
        self.lines = lines
    }

    init(_ text: String) throws {
        compiler = ""
        lines = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix(Thresholds.compilerKey) {
                compiler = String(line.dropFirst(Thresholds.compilerKey.count))
            } else if !line.hasPrefix("#") {
                lines.append(try Thresholds.parse(line))
            }
        }
    }

    private static let compilerKey = "# compiler: "

    private static func parse(_ line: Substring) throws -> Line {
        let fields = line.split(separator: " ").map(String.init)
        let numbers = fields.dropFirst().compactMap { Double($0) }
        guard fields.count == 6, numbers.count == 5 else { throw GateError("\(fileName): not a threshold: \(line)") }
        let recorded = Measurement(
            instructions: numbers[0], referenceCounts: numbers[2], allocations: numbers[3], runtimeCalls: numbers[4])
        return Line(name: fields[0], recorded: recorded, tolerance: numbers[1])
    }

    subscript(name: String) -> Line? { lines.first { $0.name == name } }

    var text: String {
        var text = """
            # What an operation of each hot path costs, counted by callgrind: ShaleEngine.docc, "Gates".
            # Written by `tools/gate --update`; only the tolerances are for editing. tools/gate fails when \
            instructions pass
            # the recorded number by more than the tolerance, or when there are more calls than recorded.
            \(Thresholds.compilerKey)\(compiler)
            #
            # path                 instructions  tolerance %  reference counts  allocations  runtime calls

            """
        for line in lines {
            let recorded = line.recorded
            text += line.name.padded(to: 22)
            text += String(
                format: "%13.1f %12.1f %17.3f %12.3f %14.3f\n", recorded.instructions, line.tolerance,
                recorded.referenceCounts, recorded.allocations, recorded.runtimeCalls)
        }
        return text
    }
}

extension Thresholds.Line {
    /// Returns the names of the figures that are worse now.
    func excesses(_ measured: Measurement) -> [String] {
        var found: [String] = []
        if measured.instructions > recorded.instructions * (1 + tolerance / 100) + 0.05 {
            found.append("instructions")
        }
        func check(_ what: String, _ now: Double, _ then: Double) {
            if now > then + Thresholds.callTolerance { found.append(what) }
        }
        check("reference counts", measured.referenceCounts, recorded.referenceCounts)
        check("allocations", measured.allocations, recorded.allocations)
        check("runtime calls", measured.runtimeCalls, recorded.runtimeCalls)
        return found
    }
}

/// The cost of one operation of a hot path.
struct Measurement: Equatable {
    var instructions: Double
    /// The number of retains and releases.
    var referenceCounts: Double
    /// The number of calls of malloc and similar functions; frees are not counted.
    var allocations: Double
    /// The number of other calls into the Swift runtime and libraries: see ``RuntimeCall``.
    var runtimeCalls: Double

    init(instructions: Double, referenceCounts: Double, allocations: Double, runtimeCalls: Double) {
        self.instructions = instructions
        self.referenceCounts = referenceCounts
        self.allocations = allocations
        self.runtimeCalls = runtimeCalls
    }

    init(_ profile: CallgrindProfile, operations: Int) {
        let count = Double(operations)
        instructions = Double(profile.instructions) / count
        func calls(_ isCounted: (CallgrindProfile.Call) -> Bool) -> Double {
            Double(profile.calls.reduce(0) { $0 + (isCounted($1.key) ? $1.value : 0) }) / count
        }
        // Counts only calls from outside: calls inside the runtime are its own matter.
        func kind(_ call: CallgrindProfile.Call) -> RuntimeCall? {
            call.caller.object == call.callee.object ? nil : RuntimeCall(symbol: call.callee.plainSymbol)
        }
        referenceCounts = calls { kind($0) == .referenceCount }
        // glibc's aligned allocation calls malloc for small alignments. That is one allocation.
        allocations = calls { call in
            Measurement.allocators.contains(call.callee.plainSymbol) && !call.caller.symbol.contains("memalign")
        }
        runtimeCalls = calls {
            switch kind($0) {
            case .exclusivity, .lazyInitialisation, .runtime, .library: true
            case .referenceCount, .allocation, .indirect, nil: false
            }
        }
    }

    private static let allocators: Set<String> = [
        "malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign",
    ]
}

extension CallgrindProfile.Function {
    /// The symbol without a version ("@@GLIBC_2.34") and without the suffix that callgrind adds to recursive functions
    /// ("'2").
    var plainSymbol: String { String(symbol.prefix { $0 != "@" && $0 != "'" }) }
}
