#if HTTP
    import HTTPTypes
    import Testing

    @testable import ShaleHTTP

    @Suite struct FreshnessTests {
        private static let now: Int64 = 1_700_000_000_000
        private let limits = HeuristicLimits(fraction: 0.1, maximumMilliseconds: 86_400_000)

        private func freshness(
            _ fields: HTTPFields, status: Int = 200, requestTime: Int64 = now, responseTime: Int64 = now
        ) -> Freshness {
            Freshness(status: status, fields, requestTime: requestTime, responseTime: responseTime, heuristics: limits)
        }

        private func date(_ seconds: Int64) -> String { HTTPDate.text(FreshnessTests.now + seconds * 1000) }

        @Test func maxAgeComesBeforeExpires() {
            let fields: HTTPFields = [.cacheControl: "max-age=10", .expires: date(1000), .date: date(0)]
            #expect(freshness(fields).lifetime == 10_000)
            #expect(freshness([.cacheControl: "max-age=0", .expires: date(1000)]).lifetime == 0)
        }

        @Test func expiresCountsFromDate() {
            // The origin's clock is an hour behind.
            #expect(freshness([.expires: date(-3500), .date: date(-3600)]).lifetime == 100_000)
            #expect(freshness([.expires: date(3600), .date: date(3600)]).lifetime == 0)
            #expect(freshness([.expires: date(50)]).lifetime == 50_000)
        }

        @Test func aLifetimeIsAtMostThatOfTheLongestMaxAge() {
            let longest: Int64 = 1000 << 31
            #expect(freshness([.cacheControl: "max-age=99999999999"]).lifetime == longest)
            #expect(freshness([.expires: "Fri, 31 Dec 9999 23:59:59 GMT"]).lifetime == longest)
        }

        @Test func anExpiresThatIsNoDateIsInThePast() {
            #expect(freshness([.expires: "0", .date: date(0), .lastModified: date(-1000)]).lifetime == 0)
            var fields: HTTPFields = [.date: date(0)]
            fields[values: .expires] = [date(10), date(20)]
            #expect(freshness(fields).lifetime == 0)
        }

        @Test func withoutAStatedLifetimeATenthSinceTheModificationCounts() {
            #expect(freshness([.date: date(0), .lastModified: date(-1000)]).lifetime == 100_000)
            #expect(freshness([.date: date(0), .lastModified: date(-100_000_000)]).lifetime == 86_400_000)
            #expect(freshness([.date: date(0), .lastModified: date(10)]).lifetime == 0)
            #expect(freshness([.date: date(0)]).lifetime == 0)
        }

        @Test func onlySomeStatusesHaveAnEstimatedLifetime() {
            for status in [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501] {
                #expect(freshness([.date: date(0), .lastModified: date(-1000)], status: status).lifetime == 100_000)
            }
            for status in [201, 202, 302, 307, 403, 500, 502, 503, 599] {
                #expect(freshness([.date: date(0), .lastModified: date(-1000)], status: status).lifetime == 0)
            }
            let isPublic: HTTPFields = [.date: date(0), .lastModified: date(-1000), .cacheControl: "public"]
            #expect(freshness(isPublic, status: 403).lifetime == 100_000)
        }

        @Test func theAgeHasTheDelayAndTheTimeInTheCache() {
            let now = FreshnessTests.now
            let value = freshness([.age: "30", .date: date(0)], requestTime: now - 2000, responseTime: now)
            #expect(value.initialAge == 32_000)
            #expect(value.age(at: now + 5000) == 37_000)
        }

        @Test func anOldDateMakesTheResponseOld() {
            #expect(freshness([.date: date(-100), .age: "30"]).initialAge == 100_000)
            // The origin's clock is ahead.
            #expect(freshness([.date: date(100)]).initialAge == 0)
        }

        @Test(arguments: [
            ("30", 30), ("0, 30", 0), ("30, 0", 30), ("-3", 0), ("a", 0), ("7.5", 0), ("2147483648", 2_147_483_648),
            ("999999999999999", 2_147_483_648),
        ])
        func theFirstAgeCountsIfItIsANumber(_ text: String, _ seconds: Int64) {
            #expect(freshness([.age: text]).initialAge == seconds * 1000)
        }

        @Test func theFirstLineOfAgeCounts() {
            var fields = HTTPFields()
            fields[values: .age] = ["0", "7200"]
            #expect(freshness(fields).initialAge == 0)
        }

        @Test func aClockThatWasSetBackMakesTheAgeUnknown() {
            let value = freshness([.cacheControl: "max-age=100"])
            #expect(value.age(at: FreshnessTests.now - 500) == 0)
            #expect(value.age(at: FreshnessTests.now - 5000) == nil)
            #expect(value.age(at: .max) ?? 0 > 0)
        }
    }
#endif
