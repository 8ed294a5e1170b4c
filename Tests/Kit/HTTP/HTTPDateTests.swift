#if HTTP
    import Testing

    @testable import ShaleHTTP

    @Suite struct HTTPDateTests {
        private let now: Int64 = 1_700_000_000_000

        @Test(arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ])
        func theThreeFormsAreRead(_ text: String) {
            #expect(HTTPDate.milliseconds(text, now: now) == 784_111_777_000)
        }

        @Test(arguments: [
            "0", "", "-1", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 AEST",
            "Sun, 06 Nov 94 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06  Nov 1994 08:49:37 GMT",
            "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
            "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "sun, 06 nov 1994 08:49:37 gmt",
            "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        ])
        func otherTextsAreNoDates(_ text: String) {
            #expect(HTTPDate.milliseconds(text, now: now) == nil)
        }

        @Test func aYearOfTwoDigitsIsAtMostFiftyYearsAhead() {
            let ahead = HTTPDate.milliseconds("Sunday, 06-Nov-73 08:49:37 GMT", now: now)
            let behind = HTTPDate.milliseconds("Sunday, 06-Nov-74 08:49:37 GMT", now: now)
            #expect(ahead == HTTPDate.milliseconds("Sun, 06 Nov 2073 08:49:37 GMT", now: now))
            #expect(behind == HTTPDate.milliseconds("Sun, 06 Nov 1974 08:49:37 GMT", now: now))
        }

        @Test func everyDayOfFourCenturiesIsWrittenAndReadBack() {
            for day in stride(from: Int64(-80_000), to: 70_000, by: 1) {
                let time = day * 86_400_000 + 3_723_000
                let text = HTTPDate.text(time)
                guard HTTPDate.milliseconds(text, now: now) != time else { continue }
                Issue.record("\(time) became \(text)")
                return
            }
            #expect(HTTPDate.text(784_111_777_000) == "Sun, 06 Nov 1994 08:49:37 GMT")
        }
    }
#endif
