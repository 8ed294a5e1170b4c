#if HTTP
    import HTTPTypes
    import Testing

    @testable import ShaleHTTP

    @Suite struct ReuseTests {
        private static let now: Int64 = 1_700_000_000_000

        private func freshness(_ control: String) -> Freshness {
            Freshness(
                status: 200, [.cacheControl: control], requestTime: ReuseTests.now, responseTime: ReuseTests.now,
                heuristics: HeuristicLimits(fraction: 0, maximumMilliseconds: 0))
        }

        private func reuse(_ control: String, after seconds: Int64, request: String? = nil) -> Reuse {
            let fields: HTTPFields = request.map { [.cacheControl: $0] } ?? [:]
            return Reuse(freshness(control), RequestDirectives(fields), at: ReuseTests.now + seconds * 1000)
        }

        @Test func aResponseIsFreshUntilItsLifetimeEnds() {
            #expect(reuse("max-age=10", after: 9) == .fresh(remaining: 1000))
            #expect(reuse("max-age=10", after: 10) == .validate(isStale: true))
        }

        @Test func noCacheNeedsAValidation() {
            #expect(reuse("max-age=10, no-cache", after: 0) == .validate(isStale: true))
            #expect(reuse("max-age=10", after: 0, request: "no-cache") == .validate(isStale: false))
        }

        @Test func maxAgeOfARequestLimitsTheAge() {
            #expect(reuse("max-age=100", after: 5, request: "max-age=5") == .fresh(remaining: 95_000))
            #expect(reuse("max-age=100", after: 6, request: "max-age=5") == .validate(isStale: false))
        }

        @Test func minFreshAsksForTheTimeThatRemains() {
            #expect(reuse("max-age=100", after: 50, request: "min-fresh=50") == .fresh(remaining: 50_000))
            #expect(reuse("max-age=100", after: 51, request: "min-fresh=50") == .validate(isStale: false))
        }

        @Test func maxStaleAcceptsStaleResponses() {
            #expect(reuse("max-age=10", after: 15, request: "max-stale=5") == .staleAllowed)
            #expect(reuse("max-age=10", after: 16, request: "max-stale=5") == .validate(isStale: true))
            #expect(reuse("max-age=10", after: 1_000_000, request: "max-stale") == .staleAllowed)
        }

        @Test func mustRevalidateForbidsStaleResponses() {
            let control = "max-age=10, must-revalidate, stale-while-revalidate=100"
            #expect(reuse(control, after: 9) == .fresh(remaining: 1000))
            #expect(reuse(control, after: 11, request: "max-stale") == .validate(isStale: true))
            #expect(reuse(control, after: 11) == .validate(isStale: true))
        }

        @Test func aStaleResponseIsUsedWhileItIsValidated() {
            #expect(reuse("max-age=10, stale-while-revalidate=5", after: 15) == .staleWhileRevalidate)
            #expect(reuse("max-age=10, stale-while-revalidate=5", after: 16) == .validate(isStale: true))
        }

        @Test func anImmutableResponseSatisfiesAnyAgeWhileItIsFresh() {
            #expect(reuse("max-age=100, immutable", after: 50, request: "max-age=0") == .fresh(remaining: 50_000))
            #expect(reuse("max-age=100, immutable", after: 50, request: "no-cache") == .validate(isStale: false))
            #expect(reuse("max-age=100, immutable", after: 101) == .validate(isStale: true))
        }

        @Test func aClockThatWasSetBackNeedsAValidation() {
            #expect(reuse("max-age=100", after: -10) == .validate(isStale: true))
            #expect(reuse("max-age=100", after: -10, request: "max-stale") == .validate(isStale: true))
        }

        private func survives(
            _ failure: Reuse.Failure, _ control: String, after seconds: Int64, request: String? = nil,
            allows: Bool = true
        ) -> Bool {
            let fields: HTTPFields = request.map { [.cacheControl: $0] } ?? [:]
            return Reuse.survives(
                failure, freshness(control), RequestDirectives(fields), at: ReuseTests.now + seconds * 1000,
                allowsDisconnected: allows)
        }

        @Test func staleIfErrorLimitsTheStaleness() {
            #expect(survives(.serverError, "max-age=10, stale-if-error=5", after: 15))
            #expect(!survives(.serverError, "max-age=10, stale-if-error=5", after: 16))
            #expect(survives(.serverError, "max-age=10", after: 15, request: "stale-if-error=5"))
            #expect(!survives(.serverError, "max-age=10", after: 11))
        }

        @Test func withoutConnectionAnyStalenessIsAllowedUnlessForbidden() {
            #expect(survives(.disconnected, "max-age=10", after: 1_000_000))
            #expect(!survives(.disconnected, "max-age=10", after: 11, allows: false))
            #expect(survives(.disconnected, "max-age=10, stale-if-error=5", after: 11, allows: false))
            #expect(survives(.disconnected, "max-age=10", after: -10))
        }

        @Test(arguments: ["no-cache", "must-revalidate"])
        func aResponseMayForbidStaleUse(_ directive: String) {
            #expect(!survives(.disconnected, "max-age=10, stale-if-error=100, \(directive)", after: 11))
            #expect(!survives(.serverError, "max-age=10, stale-if-error=100, \(directive)", after: 11))
        }

        @Test(arguments: ["no-cache", "max-age=5", "min-fresh=1"])
        func aRequestMayForbidStaleUse(_ directive: String) {
            #expect(!survives(.disconnected, "max-age=10", after: 11, request: directive))
        }
    }
#endif
