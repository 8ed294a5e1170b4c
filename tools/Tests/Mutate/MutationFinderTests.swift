import Testing

@testable import Mutate

/// Every operator finds its places, and what stands there afterwards is Swift with one switch.
@Suite struct MutationFinderTests {
    /// The rewritten source for every mutation of one kind, with `M` for the switch.
    private static func rewritten(_ source: String, _ kind: Mutation.Operator) -> [String] {
        let bytes = Array(source.utf8)
        return MutationFinder.mutations(in: bytes, path: "a.swift").filter { $0.kind == kind }.map {
            String(decoding: Rewriter.rewrite(bytes, [(1, $0)]).0, as: UTF8.self)
                .replacing("PlantedMutation.isActive(1)", with: "M").replacing("\nimport ShaleBase\n", with: "")
        }
    }

    @Test func everyElementOfAConditionIsNegated() {
        #expect(
            Self.rewritten("func f() {\n    if a, let b, try c(b) { g() }\n}\n", .negation) == [
                "func f() {\n    if (M != (a)), let b, try c(b) { g() }\n}\n",
                "func f() {\n    if a, let b, try (M != (c(b))) { g() }\n}\n",
            ])
        #expect(
            Self.rewritten("func f() {\n    guard x < 1 else { return }\n    while a(b) {}\n}\n", .negation) == [
                "func f() {\n    guard (M != (x < 1)) else { return }\n    while a(b) {}\n}\n",
                "func f() {\n    guard x < 1 else { return }\n    while (M != (a(b))) {}\n}\n",
            ])
    }

    @Test func aConditionOverSeveralLinesIsOne() {
        let source =
            "func f() {\n    if a\n        || b\n    {\n        g()\n    } else if c {\n        h()\n    }\n}\n"
        #expect(Self.rewritten(source, .negation).count == 2)
        #expect(
            Self.rewritten(source, .logic) == [
                source.replacing("a\n        || b", with: "(M ? (a\n        && b) : (a\n        || b))")
            ])
    }

    @Test func anOperatorIsExchangedWithinItsExpression() {
        #expect(
            Self.rewritten("func f() {\n    let x = try g(a, b < c)\n}\n", .comparison) == [
                "func f() {\n    let x = try g(a, (M ? (b <= c) : (b < c)))\n}\n"
            ])
        #expect(
            Self.rewritten("func f() {\n    let x = a < b ? c : d\n}\n", .comparison) == [
                "func f() {\n    let x = (M ? (a <= b) : (a < b)) ? c : d\n}\n"
            ])
        #expect(
            Self.rewritten("func f() -> Int {\n    return unsafe a + b\n}\n", .arithmetic) == [
                "func f() -> Int {\n    return unsafe (M ? (a - b) : (a + b))\n}\n"
            ])
        #expect(
            Self.rewritten("func f() {\n    g { a, b in a < b }\n}\n", .comparison) == [
                "func f() {\n    g { a, b in (M ? (a <= b) : (a < b)) }\n}\n"
            ])
    }

    @Test func bracketsOfGenericArgumentsAreNoComparison() {
        #expect(Self.rewritten("func f() {\n    let x: A<B> = C<D>(-1)\n}\n", .comparison).isEmpty)
    }

    @Test func callsAndAssignmentsAreLeftOut() {
        #expect(
            Self.rewritten("func f() {\n    try a.b(c)\n    x += 1\n    let y = g()\n}\n", .deletion) == [
                "func f() {\n    if !M { try a.b(c) }\n    x += 1\n    let y = g()\n}\n",
                "func f() {\n    try a.b(c)\n    if !M { x += 1 }\n    let y = g()\n}\n",
            ])
        #expect(
            Self.rewritten("func f() {\n    defer { lock.unlock() }\n    g()\n}\n", .deletion).first
                == "func f() {\n    defer { if !M { lock.unlock() } }\n    g()\n}\n")
    }

    @Test func theValueOfABlockIsKept() {
        #expect(Self.rewritten("var x: Int { g(1) }\nfunc f() -> Int { h() }\n", .deletion).isEmpty)
        #expect(Self.rewritten("struct S {\n    init(_ a: Int) {\n        self.a = a\n    }\n}\n", .deletion).isEmpty)
    }

    @Test func anAssignmentIsTurnedRound() {
        #expect(
            Self.rewritten("func f() {\n    x += a\n    g()\n}\n", .arithmetic) == [
                "func f() {\n    if M { x -= a } else { x += a }\n    g()\n}\n"
            ])
    }

    @Test func callsThatFollowEachOtherAreExchanged() {
        #expect(
            Self.rewritten("func f() {\n    a()\n    b()\n    x = 1\n}\n", .exchange) == [
                "func f() {\n    if M {\nb()\na()\n} else {\na()\nb()\n}\n    x = 1\n}\n"
            ])
    }

    @Test func functionsWithoutAResultReturnAtOnce() {
        #expect(
            Self.rewritten("func f(_ g: () -> Int) { h() }\nfunc i() -> Int { 1 }\n", .earlyReturn) == [
                "func f(_ g: () -> Int) { if M { return };  h() }\nfunc i() -> Int { 1 }\n"
            ])
    }

    @Test func constantsAreOffByOne() {
        #expect(
            Self.rewritten("func f() { g(8, 1.5, a.0, 0) }\n", .integer) == [
                "func f() { g((M ? 7 : 8), 1.5, a.0, 0) }\n", "func f() { g((M ? 9 : 8), 1.5, a.0, 0) }\n",
                "func f() { g(8, 1.5, a.0, (M ? 1 : 0)) }\n",
            ])
        #expect(Self.rewritten("let a = true\n", .boolean) == ["let a = (!M)\n"])
    }

    @Test func commentsTextsAndChecksAreLeftAlone() {
        let source = """
            /// a < b
            func f() {
                // x = 1
                assert(a < b)
                log("\\(a < b) < \\("c" + d)")
                counters.a += 1
            }
            static let limit = 1 << 20

            """
        let kinds = MutationFinder.mutations(in: Array(source.utf8), path: "a.swift").map(\.kind)
        #expect(kinds == [.earlyReturn, .deletion])
    }
}
