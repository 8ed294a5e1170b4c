#if HTTP
    import HTTPTypes
    import Shale
    import TestSupport
    import Testing

    @testable import ShaleHTTP

    /// Invalidation by unsafe methods, by calls, and of responses that are under way.
    @Suite struct HTTPInvalidationTests {
        private func isStored(_ fixture: HTTPFixture, _ path: String = "/a") throws -> Bool {
            try fixture.cache.storedResponse(for: HTTPFixture.request(path)) != nil
        }

        @Test(arguments: [HTTPRequest.Method.put, .post, .delete, .patch, HTTPRequest.Method("PURGE") ?? .put])
        func aSuccessfulUnsafeRequestRemovesAllVariants(_ method: HTTPRequest.Method) async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=60"])
            try await fixture.stored([.cacheControl: "max-age=60"], for: [.authorization: "Bearer x"])
            fixture.transport.reply(303)
            let answer = try await fixture.send(method)
            #expect(answer.cacheStatus.forward == .method && answer.storageError == nil)
            #expect(try !isStored(fixture))
            let other = HTTPFixture.request("/a", [.authorization: "Bearer x"])
            #expect(try fixture.cache.storedResponse(for: other) == nil)
            #expect(try fixture.cache.namespace.count() == 1, "the secret stays")
        }

        @Test(arguments: [400, 404, 500, 503]) func aFailedUnsafeRequestRemovesNothing(_ status: Int) async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=60"])
            fixture.transport.reply(status)
            try await fixture.send(.put)
            #expect(try isStored(fixture))
        }

        @Test(arguments: [HTTPRequest.Method.options, .trace]) func aSafeMethodRemovesNothing(
            _ method: HTTPRequest.Method
        ) async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=60"])
            fixture.transport.reply(200)
            try await fixture.send(method)
            #expect(try isStored(fixture))
        }

        @Test func anUnsafeRequestWithoutAnswerRemovesTheResponse() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=60"])
            fixture.transport.fail()
            #expect(await httpCode { try await fixture.send(.put) } == .unreachable)
            #expect(try !isStored(fixture))
        }

        @Test func locationsOfTheSameOriginAreRemovedToo() async throws {
            let fixture = try HTTPFixture()
            for path in ["/a", "/b", "/c", "/d"] { try await fixture.stored([.cacheControl: "max-age=60"], path: path) }
            fixture.transport.reply(201, [.location: "https://EXAMPLE.org/b", .contentLocation: "c"])
            try await fixture.send(.post)
            #expect(try !isStored(fixture, "/a") && !isStored(fixture, "/b") && !isStored(fixture, "/c"))
            fixture.transport.reply(201, [.location: "https://other.org/d"])
            try await fixture.send(.post)
            #expect(try isStored(fixture, "/d"))
        }

        @Test func aCallRemovesTheResponsesOfAURL() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=60"])
            try fixture.cache.invalidate("https://example.org:443/a")
            #expect(try !isStored(fixture))
            #expect(code { () throws(StorageError) in try fixture.cache.invalidate("/a") } == .invalidArgument)
        }

        @Test func allResponsesAreRemovedAndOthersFollow() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=60"])
            try fixture.cache.removeAll()
            #expect(try !isStored(fixture))
            try await fixture.stored([.cacheControl: "max-age=60"])
            try fixture.reopen()
            #expect(try isStored(fixture), "the secret was written again")
        }

        @Test func aResponseUnderWayIsNotStoredAfterAnInvalidation() async throws {
            let fixture = try HTTPFixture()
            let (cache, gate) = (fixture.cache, TaskGate())
            fixture.transport.then { _ in
                await gate.pass()
                return .of(200, [.cacheControl: "max-age=60"], "old")
            }
            async let answer = cache.response(for: HTTPFixture.request())
            #expect(await reaches { gate.waiterCount == 1 })
            fixture.transport.reply(200)
            _ = try await cache.response(for: HTTPFixture.request(method: .put))
            gate.open()
            let old = try await answer
            #expect(old.text == "old" && !old.cacheStatus.isStored)
            #expect(try !isStored(fixture))
        }

        @Test func aRequestAfterAnInvalidationSharesNoOlderFlight() async throws {
            let fixture = try HTTPFixture()
            let (cache, transport, gate) = (fixture.cache, fixture.transport, TaskGate())
            fixture.transport.then { _ in
                await gate.pass()
                return .of(200, [.cacheControl: "max-age=60"], "old")
            }
            async let first = cache.response(for: HTTPFixture.request())
            #expect(await reaches { gate.waiterCount == 1 })
            fixture.transport.reply(204)
            try await fixture.send(.put)
            fixture.transport.reply(200, [.cacheControl: "max-age=60"], "new")
            async let second = cache.response(for: HTTPFixture.request())
            #expect(await reaches { transport.requests.count == 3 || cache.flights.waiterCount == 2 })
            #expect(transport.requests.count == 3 || cache.flights.count == 2, "it waits for the older one")
            gate.open()
            #expect(try await second.text == "new")
            #expect(try await first.text == "old")
            #expect(try await fixture.get().text == "new")
        }

        /// An index that another writer of the namespace put in place of the response's own.
        @Test func aResponseOfAnEarlierIndexIsNotUsed() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=60"])
            let namespace = fixture.cache.namespace
            let key = try #require(try namespace.keys.array().first { $0.bytes.count == 17 })
            var index = try VariantIndex.decode(try #require(try namespace.storedBytes(key.bytes)))
            index.variants[0].stamp ^= 1
            try namespace.set(index.encode(), forKey: key, options: .purgeable)
            #expect(try !isStored(fixture))
        }

        @Test func aPurgeRemovesAResponseUnderWay() async throws {
            let fixture = try HTTPFixture()
            let store = fixture.store
            fixture.transport.then { _ in
                _ = try await store.purge(.all)
                return .of(200, [.cacheControl: "max-age=60"], "old")
            }
            #expect(try await fixture.get().text == "old")
            #expect(try !isStored(fixture))
        }

        @Test func invalidationsAndStoresAtOnceLeaveNothingOutdated() async throws {
            let fixture = try HTTPFixture()
            let (cache, version) = (fixture.cache, Version())
            // GET returns the version at its arrival; PUT makes a new one.
            fixture.transport.otherwise { request in
                if request.method == .put {
                    version.advance()
                    return .of(204)
                }
                let number = version.number
                await Task.yield()
                return .of(200, [.cacheControl: "max-age=600"], "\(number)")
            }
            for _ in 0..<200 {
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<8 {
                        group.addTask {
                            let method: HTTPRequest.Method = number == 3 ? .put : .get
                            do {
                                _ = try await cache.response(for: HTTPFixture.request(method: method))
                            } catch {
                                Issue.record("\(error)")
                            }
                        }
                    }
                }
                let latest = try await fixture.get()
                guard latest.text != "\(version.number)" else { continue }
                Issue.record("version \(latest.text) was stored over \(version.number)")
                return
            }
        }
    }
#endif
