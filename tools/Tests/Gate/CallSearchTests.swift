import Testing

@testable import Gate

/// The search finds every call behind a hot function, unless a rule covers the call.
@Suite struct CallSearchTests {
    /// `hot` calls `warm`. `warm` calls swift_retain and, in tail position, `cold`. `cold` calls malloc and calls
    /// through a pointer.
    private static let disassembly = Disassembly(
        """
        0000000000001000 <hot>:
            1000:\tpush   %rbp
            1001:\tjne    1010 <hot+0x10>
            1004:\tcall   2000 <warm>
            1008:\tcall   900 <memcmp@plt>
            100c:\tret

        0000000000002000 <warm>:
            2000:\tcall   910 <swift_retain@plt>
            2004:\tjmp    3000 <cold>

        0000000000003000 <cold>:
            3000:\tcall   920 <malloc@plt>
            3004:\tcall   *0x8(%rax)
            3008:\tcall   930 <swift_willThrow@plt>
            300c:\tcall   *0x2000(%rip)        # 5000 <swift_release@GLIBC_2.2>

        0000000000004000 <elsewhere>:
            4000:\tcall   920 <malloc@plt>
        """)

    private static func search(_ rules: String) throws -> CallSearch {
        CallSearch(disassembly, names: [:], try CallRules(rules))
    }

    @Test func callsAreFollowedAndTheWayIsShown() throws {
        let search = try Self.search("hot hot")
        let found = Set(search.findings.map { "\($0.path.joined(separator: " ")) \($0.callee): \($0.kind.rawValue)" })
        #expect(
            found == [
                "hot warm swift_retain: reference count", "hot warm cold malloc: allocation",
                "hot warm cold indirect call: indirect call", "hot warm cold swift_release: reference count",
            ])
        #expect(search.visited == ["hot", "warm", "cold"])
    }

    @Test func coldFunctionsAreNotLookedInto() throws {
        let search = try Self.search("hot hot\ncold cold | an error")
        #expect(search.findings.map(\.callee) == ["swift_retain"])
    }

    @Test func aKnownCallIsAllowedByNameOrByKind() throws {
        let byName = try Self.search("hot hot\ncold cold | an error\nallow warm -> swift_retain | once")
        #expect(byName.findings.isEmpty)
        let byKind = try Self.search("hot hot\ncold cold | an error\nallow warm -> reference count | once")
        #expect(byKind.findings.isEmpty)
    }

    @Test func rulesThatMeetNothingAreStale() throws {
        let search = try Self.search("hot hot\nhot gone\ncold gone | an error\nallow hot -> swift_retain | once")
        #expect(
            search.stale == [.hot("gone"), .cold("gone"), .allow(caller: "hot", callee: "swift_retain")])
    }

    @Test func aRuleWithoutAReasonIsAnError() {
        #expect(throws: GateError.self) { try CallRules("cold cold") }
        #expect(throws: GateError.self) { try CallRules("allow a -> b | ") }
    }

    @Test func staleRulesLeaveTheFileAsItWas() throws {
        let rules = try CallRules("# words\nhot hot\ncold gone | an error\n\nallow a -> b | once\n")
        #expect(rules.text(without: [.cold("gone")]) == "# words\nhot hot\n\nallow a -> b | once\n")
    }
}
