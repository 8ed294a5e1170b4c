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
        allocations = calls { Measurement.allocators.contains($0.callee.plainSymbol) }
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
