import Testing

@testable import Gate

/// A worse result than the recorded one fails; an equal or better one passes.
@Suite struct ThresholdTests {
    private static let recorded = Measurement(
        instructions: 100, referenceCounts: 2, allocations: 0, runtimeCalls: 0.5)
    private static let line = Thresholds.Line(name: "get", recorded: recorded, tolerance: 2)

    private static func measured(_ change: (inout Measurement) -> Void) -> Measurement {
        var measured = recorded
        change(&measured)
        return measured
    }

    @Test func recordedFiguresHold() {
        #expect(Self.line.excesses(Self.recorded).isEmpty)
    }

    @Test func instructionsMayGrowByTheTolerance() {
        #expect(Self.line.excesses(Self.measured { $0.instructions = 102 }).isEmpty)
        #expect(Self.line.excesses(Self.measured { $0.instructions = 102.1 }) == ["instructions"])
    }

    @Test func oneMoreRetainFails() {
        #expect(Self.line.excesses(Self.measured { $0.referenceCounts = 3 }) == ["reference counts"])
    }

    @Test func oneMoreAllocationFails() {
        #expect(Self.line.excesses(Self.measured { $0.allocations = 1 }) == ["allocations"])
    }

    @Test func oneMoreRuntimeCallFails() {
        #expect(Self.line.excesses(Self.measured { $0.runtimeCalls = 1.5 }) == ["runtime calls"])
    }

    @Test func lessOfEverythingHolds() {
        let less = Measurement(instructions: 50, referenceCounts: 0, allocations: 0, runtimeCalls: 0)
        #expect(Self.line.excesses(less).isEmpty)
    }

    @Test func theFileIsReadAsItWasWritten() throws {
        let thresholds = Thresholds(compiler: "Swift version 6.2", lines: [Self.line])
        #expect(try Thresholds(thresholds.text) == thresholds)
    }

    @Test func aLineThatIsNoThresholdIsAnError() {
        #expect(throws: GateError.self) { try Thresholds("get 100 2 fast 0 0\n") }
    }
}
