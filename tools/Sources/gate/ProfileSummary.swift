import Foundation

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
