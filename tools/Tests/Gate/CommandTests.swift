import Testing

@testable import Gate

/// The gate runs programs by path and by name.
@Suite struct CommandTests {
    @Test(arguments: ["/bin/sh", "sh"])
    func aProgramIsFoundByPathAndByName(_ program: String) async throws {
        #expect(
            try await Command.output(program, ["-c", "cat; echo $WORD"], input: "a ", environment: ["WORD": "b"])
                == "a b\n")
    }

    @Test func aFailedProgramIsAnError() async {
        await #expect(throws: GateError.self) { try await Command.output("sh", ["-c", "exit 3"]) }
    }
}
