#if HTTP
    import HTTPTypes
    import Testing

    @testable import ShaleHTTP

    @Suite struct StorabilityTests {
        private func isStorable(_ status: Int = 200, _ fields: HTTPFields = [:], request: HTTPFields = [:]) -> Bool {
            let head = HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: fields)
            return Storability.refusal(request: request, head) == nil
        }

        @Test func noStoreOfResponseOrRequestForbidsStoring() {
            #expect(!isStorable(200, [.cacheControl: "no-store, max-age=100"]))
            #expect(!isStorable(200, [.cacheControl: "max-age=100"], request: [.cacheControl: "no-store"]))
        }

        @Test func partsAndValidationsAreNotStored() {
            #expect(!isStorable(206, [.cacheControl: "max-age=100"]))
            #expect(!isStorable(304, [.cacheControl: "max-age=100"]))
            #expect(!isStorable(103, [.cacheControl: "max-age=100"]))
            #expect(!isStorable(600, [.cacheControl: "max-age=100"]))
        }

        @Test func aStatusIsStoredIfItOrAFieldAllowsThat() {
            for status in [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501] { #expect(isStorable(status)) }
            for status in [201, 302, 307, 400, 500, 503, 599] {
                #expect(!isStorable(status))
                #expect(isStorable(status, [.cacheControl: "max-age=1"]))
                #expect(isStorable(status, [.cacheControl: "public"]))
                #expect(isStorable(status, [.cacheControl: "private"]))
                #expect(isStorable(status, [.expires: "0"]))
            }
        }

        @Test func mustUnderstandReplacesNoStoreForKnownStatuses() {
            #expect(isStorable(200, [.cacheControl: "no-store, must-understand, max-age=1"]))
            #expect(!isStorable(599, [.cacheControl: "no-store, must-understand, max-age=1"]))
            #expect(!isStorable(599, [.cacheControl: "must-understand, max-age=1"]))
        }

        @Test(arguments: ["*", "*, *", ", *", "*, Foo", "Foo, *", "not a name"])
        func aVaryThatNoRequestMatchesForbidsStoring(_ vary: String) {
            #expect(!isStorable(200, [.cacheControl: "max-age=100", .vary: vary]))
        }

        @Test func aVaryOverTheLimitsForbidsStoring() {
            let many = (0...VaryNames.namesMax).map { "x\($0)" }.joined(separator: ", ")
            #expect(!isStorable(200, [.cacheControl: "max-age=100", .vary: many]))
            #expect(!isStorable(200, [.cacheControl: "max-age=100", .vary: String(repeating: "x", count: 256)]))
        }

        @Test func namesOfVaryAreSortedWithoutCaseAndRepetition() {
            var fields = HTTPFields()
            fields[values: .vary] = ["B, a", ", b,,", ""]
            #expect(VaryNames(fields)?.names == ["a", "b"])
            #expect(VaryNames([:])?.names == [])
        }

        @Test func fieldsOfTheConnectionAreNotStored() throws {
            let own = try #require(HTTPField.Name("X-Hop"))
            let fields: HTTPFields = [
                .connection: "close, X-Hop", own: "1", .transferEncoding: "chunked", .upgrade: "h2c",
                .proxyAuthenticate: "Basic", .eTag: "\"1\"", .setCookie: "a=b",
            ]
            let stored = Storability.storedFields(fields, responseTime: 784_111_777_000)
            #expect(Set(stored.map(\.name.canonicalName)) == ["etag", "set-cookie", "date"])
            #expect(stored[.date] == "Sun, 06 Nov 1994 08:49:37 GMT")
        }

        @Test func aValidationReplacesFieldsExceptThoseOfTheContent() throws {
            let old = try #require(HTTPField.Name("X-Old"))
            let stored: HTTPFields = [
                .eTag: "\"1\"", .cacheControl: "max-age=1", .contentLength: "3", .contentEncoding: "gzip", old: "1",
                .age: "7", .date: "then",
            ]
            let update: HTTPFields = [
                .cacheControl: "max-age=9", .contentLength: "0", .contentEncoding: "br", .date: "now",
                .contentType: "a/b",
            ]
            let merged = try #require(Validation.merged(stored, with: update, responseTime: 0))
            #expect(merged[.cacheControl] == "max-age=9" && merged[.date] == "now" && merged[.contentType] == "a/b")
            #expect(merged[.contentLength] == "3" && merged[.contentEncoding] == "gzip")
            #expect(merged[old] == "1" && merged[.eTag] == "\"1\"" && merged[.age] == nil)
        }

        @Test func aValidationConfirmsTheResponseWithItsValidator() {
            let stored: HTTPFields = [.eTag: "\"1\"", .lastModified: "then"]
            #expect(Validation.confirms([.eTag: "\"1\""], stored))
            #expect(!Validation.confirms([.eTag: "\"2\""], stored))
            #expect(Validation.confirms([.eTag: "W/\"1\""], stored))
            #expect(!Validation.confirms([.eTag: "\"1\""], [.eTag: "W/\"1\""]))
            #expect(Validation.confirms([.lastModified: "then"], stored))
            #expect(!Validation.confirms([.lastModified: "now"], stored))
            #expect(Validation.confirms([:], stored))
            #expect(!Validation.confirms([.eTag: "\"1\""], [.lastModified: "then"]))
        }
    }
#endif
