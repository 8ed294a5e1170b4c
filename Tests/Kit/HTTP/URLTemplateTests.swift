#if HTTP
    import Testing

    @testable import ShaleHTTP

    @Suite struct URLTemplateTests {
        private func expanded(_ template: String, _ values: [String: [String]]) throws -> String {
            try URLTemplate(template).expanded { values[$0] ?? [] }
        }

        @Test func pathsAndQueriesAreExpanded() throws {
            let values = ["id": ["7"], "q": ["a b"], "tags": ["x", "y"], "empty": [""]]
            #expect(try expanded("/u/{id}{?q,tags}", values) == "/u/7?q=a%20b&tags=x,y")
            #expect(try expanded("/u{?tags*}{&q}", values) == "/u?tags=x&tags=y&q=a%20b")
            #expect(try expanded("/u{?none,empty}", values) == "/u?empty=")
            #expect(try expanded("/u{?none}", values) == "/u")
            #expect(try expanded("/u?a=1{&q}", values) == "/u?a=1&q=a%20b")
        }

        @Test func valuesCantLeaveTheirPlace() throws {
            let hostile = ["id": ["a/b?c#d&e=f%\r\n\u{0}é"]]
            #expect(try expanded("/u/{id}", hostile) == "/u/a%2Fb%3Fc%23d%26e%3Df%25%0D%0A%00%C3%A9")
        }

        @Test(arguments: [[], [""], ["."], [".."]]) func aPartOfAPathIsNeverEmptyOrAnotherFolder(_ texts: [String]) {
            #expect(throws: HTTPCacheError.self) { try expanded("/u/{id}/x", ["id": texts]) }
        }

        @Test(arguments: [
            "u/{id}", "/u/{id", "/u/}", "/u/{}", "/{id}/{id}", "/{a,b}", "/{id*}", "/u{+id}", "/u{#id}", "/u v", "/é",
            "/a#b", "/{?}", "/{i d}",
        ])
        func otherTemplatesAreRefused(_ template: String) {
            #expect(throws: HTTPCacheError.self) { try URLTemplate(template) }
        }
    }
#endif
