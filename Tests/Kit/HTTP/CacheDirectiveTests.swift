#if HTTP
    import HTTPTypes
    import Testing

    @testable import ShaleHTTP

    @Suite struct CacheDirectiveTests {
        private func response(_ lines: String...) -> ResponseDirectives {
            var fields = HTTPFields()
            fields[values: .cacheControl] = lines
            return ResponseDirectives(fields)
        }

        @Test func namesAreComparedWithoutCase() {
            let directives = response("Max-Age=5, nO-StOrE, No-CaChE, MUST-revalidate")
            #expect(directives.maxAge == 5 && directives.isNoStore && directives.isNoCache && directives.mustRevalidate)
        }

        @Test func argumentsAreTokensOrQuotedStrings() {
            #expect(response("max-age=\"3600\"").maxAge == 3600)
            #expect(response("max-age=\"36\\00\"").maxAge == 3600)
            #expect(response("max-age=003600").maxAge == 3600)
        }

        @Test func aDirectiveInsideOfAQuotedStringIsNone() {
            let directives = response("extension=\"max-age=100, no-store\", max-age=1")
            #expect(directives.maxAge == 1 && !directives.isNoStore)
            #expect(response("max-age=1, extension=\"max-age=100\"").maxAge == 1)
        }

        @Test(arguments: [
            "max-age=-1", "max-age='3600'", "max-age=a", "max-age", "max-age=", "max-age=1.5", "max-age =9",
        ])
        func aLifetimeThatIsNoNumberIsZero(_ line: String) {
            #expect(response(line).maxAge == 0)
        }

        @Test func numbersEndAt2To31() {
            #expect(response("max-age=99999999999999999999999").maxAge == 1 << 31)
            #expect(response("max-age=2147483647").maxAge == 2_147_483_647)
        }

        @Test func contradictoryLifetimesAreZero() {
            #expect(response("max-age=10", "max-age=20").maxAge == 0)
            #expect(response("max-age=10, max-age=10").maxAge == 10)
        }

        @Test func qualifiedDirectivesCountAsUnqualified() {
            #expect(response("no-cache=\"set-cookie\"").isNoCache)
            #expect(response("private=\"x\"").isPrivate)
        }

        @Test func directivesOfSharedCachesAreIgnored() {
            #expect(response("s-maxage=100, proxy-revalidate").maxAge == nil)
        }

        @Test func emptyElementsAndUnknownDirectivesAreSkipped() {
            let directives = response(", ,, foo=bar ,max-age=7,, =3", "")
            #expect(directives.maxAge == 7)
        }

        @Test func requestDirectivesAreReadAndWritten() {
            var directives = RequestDirectives()
            directives.maxAge = .seconds(5)
            directives.minFresh = .seconds(6)
            directives.maxStale = .seconds(DeltaSeconds.max)
            directives.staleIfError = .seconds(8)
            directives.isNoCache = true
            directives.isNoStore = true
            directives.isOnlyIfCached = true
            let text = directives.fieldValue
            #expect(text == "max-age=5, min-fresh=6, max-stale, stale-if-error=8, no-cache, no-store, only-if-cached")
            #expect(RequestDirectives([.cacheControl: text ?? ""]) == directives)
            #expect(RequestDirectives().fieldValue == nil)
        }

        @Test func pragmaCountsWithoutCacheControlOnly() throws {
            let pragma = try #require(HTTPField.Name("Pragma"))
            #expect(RequestDirectives([pragma: "no-cache"]).isNoCache)
            #expect(!RequestDirectives([pragma: "no-cache", .cacheControl: "max-age=1"]).isNoCache)
        }

        @Test func aLimitOfARequestThatIsNoNumberIsTheStrictest() {
            #expect(RequestDirectives([.cacheControl: "max-age=x"]).maxAge == .zero)
            #expect(RequestDirectives([.cacheControl: "max-stale=x"]).maxStale == nil)
        }
    }
#endif
