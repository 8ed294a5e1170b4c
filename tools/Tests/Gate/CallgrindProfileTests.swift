import Testing

@testable import Gate

/// The reader of callgrind's output.
@Suite struct CallgrindProfileTests {
    static let text = """
        version: 1
        positions: line
        events: Ir
        summary: 130

        ob=/bin/hot
        fl=a.swift
        fn=$s3get
        0 40
        cob=/lib/libswiftCore.so
        cfi=???
        cfn=swift_retain
        calls=10 0
        0 70
        fe=b.swift
        0 20
        cfn=$s4help
        calls=10 0
        0 0

        ob=/lib/libswiftCore.so
        fn=swift_retain
        0 50
        cob=/lib/libc.so
        cfn=malloc@@GLIBC_2.2.5
        calls=5 0
        0 20

        totals: 999
        """

    @Test func instructionsAreThoseOfTheRegion() throws {
        let profile = try CallgrindProfile(Self.text)
        #expect(profile.instructions == 130)
    }

    @Test func ownInstructionsLeaveOutWhatWasCalled() throws {
        let profile = try CallgrindProfile(Self.text)
        #expect(profile.ownInstructions[.init(symbol: "$s3get", object: "/bin/hot")] == 60)
    }

    @Test func aCallWithoutAnObjectStaysInTheCallersObject() throws {
        let profile = try CallgrindProfile(Self.text)
        let caller = CallgrindProfile.Function(symbol: "$s3get", object: "/bin/hot")
        let callee = CallgrindProfile.Function(symbol: "$s4help", object: "/bin/hot")
        #expect(profile.calls[.init(caller: caller, callee: callee)] == 10)
    }

    @Test func callsArePerOperationAndByKind() throws {
        let measured = Measurement(try CallgrindProfile(Self.text), operations: 10)
        let expected = Measurement(instructions: 13, referenceCounts: 1, allocations: 0.5, runtimeCalls: 0)
        #expect(measured == expected)
    }

    @Test func anAllocationInsideAnAlignedOneIsNotCounted() throws {
        let nested = """
            version: 1
            positions: line
            events: Ir
            summary: 30

            ob=/lib/libc.so
            fn=_mid_memalign.isra.0
            0 10
            cfn=malloc
            calls=5 0
            0 20

            totals: 30
            """
        #expect(Measurement(try CallgrindProfile(nested), operations: 5).allocations == 0)
    }

    @Test func anEmptyProfileIsAnError() {
        #expect(throws: GateError.self) { try CallgrindProfile("version: 1\n") }
    }
}
