#if HTTP
    import HTTPTypes
    import Shale
    import ShalePlatform
    import Testing

    @testable import ShaleHTTP

    /// Sizes, hostile responses and failures of the store.
    @Suite struct HTTPBoundTests {
        private func isStored(_ fixture: HTTPFixture) throws -> Bool {
            try fixture.cache.storedResponse(for: HTTPFixture.request()) != nil
        }

        @Test func aBodyOverTheLimitIsPassedOnAsItArrives() async throws {
            let fixture = try HTTPFixture { $0.bodyBytesMax = 10_000 }
            let long = LongBody(chunkBytes: 4000, count: 100)
            fixture.transport.then { _ in
                HTTPReply(
                    head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60"]), body: HTTPBody(long))
            }
            let answer = try await fixture.get()
            #expect(answer.body.bytesInMemory == nil && long.readCount.withLock { $0 } == 3)
            #expect(answer.cacheStatus.detail == "the body is too large")
            let bytes = try await answer.body.bytes(upTo: 1 << 20)
            #expect(bytes.count == 400_000 && bytes[0] == 1 && bytes[399_999] == 100)
            #expect(try !isStored(fixture))
        }

        @Test func aStatedLengthOverTheLimitIsPassedOnUnread() async throws {
            let fixture = try HTTPFixture { $0.bodyBytesMax = 10_000 }
            let long = LongBody(chunkBytes: 4000, count: 100)
            fixture.transport.then { _ in
                HTTPReply(
                    head: HTTPResponse(status: .ok, headerFields: [.contentLength: "400000"]), body: HTTPBody(long))
            }
            let answer = try await fixture.get()
            #expect(long.readCount.withLock { $0 } == 0)
            #expect(await httpCode { _ = try await answer.body.bytes(upTo: 5000) } == .bodyTooLarge)
        }

        @Test(arguments: ["2", "4", "400"]) func aLengthThatLiesIsAnErrorAndNothingIsStored(_ length: String)
            async throws
        {
            let fixture = try HTTPFixture()
            fixture.transport.reply(200, [.cacheControl: "max-age=60", .contentLength: length], "one")
            #expect(await httpCode { try await fixture.get() } == .incompleteBody)
            #expect(try !isStored(fixture))
        }

        @Test func aLengthThatIsNoNumberForbidsStoring() async throws {
            let fixture = try HTTPFixture()
            fixture.transport.reply(200, [.cacheControl: "max-age=60", .contentLength: "x"], "one")
            #expect(try await fixture.get().text == "one")
            #expect(try !isStored(fixture))
        }

        @Test func aBodyThatIsCutLeavesTheStoredResponse() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=5, must-revalidate", .eTag: "\"1\""])
            fixture.advance(10)
            fixture.transport.then { _ in
                HTTPReply(
                    head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60"]),
                    body: HTTPBody(CutChunks(chunks: [[1], [2]])))
            }
            #expect(await httpCode { try await fixture.get() } == .incompleteBody)
            fixture.transport.reply(304, [.eTag: "\"1\""])
            #expect(try await fixture.get().text == "one")
        }

        @Test func fieldsOverTheLimitAreNotStored() async throws {
            let fixture = try HTTPFixture { $0.fieldBytesMax = 1000 }
            let name = try #require(HTTPField.Name("X-Long"))
            fixture.transport.reply(
                200, [.cacheControl: "max-age=60", name: String(repeating: "x", count: 1000)], "one")
            #expect(try await fixture.get().text == "one")
            var many: HTTPFields = [.cacheControl: "max-age=60"]
            for _ in 0..<1001 { many.append(HTTPField(name: name, value: "")) }
            fixture.transport.reply(200, many, "two")
            #expect(try await fixture.get().text == "two")
            #expect(try !isStored(fixture))
        }

        @Test func aFieldWithALongNameIsNotStored() async throws {
            let fixture = try HTTPFixture { $0.fieldBytesMax = 1 << 20 }
            let name = try #require(HTTPField.Name(String(repeating: "x", count: 70_000)))
            fixture.transport.reply(200, [.cacheControl: "max-age=60", name: "value"], "one")
            #expect(try await fixture.get().cacheStatus.detail == "the fields are too large")
            #expect(try !isStored(fixture))
        }

        @Test func hostileFieldsAreNoTrap() async throws {
            let fixture = try HTTPFixture()
            let random = SeededRandom(seed: 5)
            let names: [HTTPField.Name] = [
                .cacheControl, .age, .expires, .date, .lastModified, .vary, .eTag, .contentLength, .connection,
            ]
            let parts = [
                "max-age", "=", "\"", "\\", ",", "9999999999999999999", "-", "no-cache", " ", "W/", "*", ";", "\u{FF}",
                "0",
                "stale-if-error", "Sun, 06 Nov 1994 08:49:37 GMT", "x",
            ]
            for number in 0..<3000 {
                var fields = HTTPFields()
                for _ in 0..<6 {
                    let value = (0..<random.next() % 9).map { _ in parts[Int(random.next() % UInt64(parts.count))] }
                        .joined()
                    fields.append(HTTPField(name: names[Int(random.next() % UInt64(names.count))], value: value))
                }
                fixture.transport.reply(Int(200 + random.next() % 400), fields, "body")
                do {
                    try await fixture.get(
                        "/\(number % 50)", [.cacheControl: number % 2 == 0 ? "no-cache" : "max-stale=x"])
                } catch let error as HTTPCacheError {
                    #expect([.incompleteBody, .unreachable, .invalidResponse].contains(error.code), "\(error)")
                }
            }
        }

        @Test func aURLOverTheLimitIsSentOn() async throws {
            let fixture = try HTTPFixture()
            fixture.transport.reply(200, [.cacheControl: "max-age=60"], "one")
            let answer = try await fixture.get("/" + String(repeating: "x", count: 9000))
            #expect(answer.cacheStatus.forward == .bypass)
            #expect(try fixture.cache.namespace.count() == 1)
        }

        @Test func theNamespaceKeepsToItsCapacity() async throws {
            let fixture = try HTTPFixture {
                $0.capacityBytes = 400_000
                $0.bodyBytesMax = 50_000
            }
            let body = String(repeating: "x", count: 20_000)
            fixture.transport.otherwise { _ in .of(200, [.cacheControl: "max-age=600"], body) }
            for number in 0..<200 {
                let answer = try await fixture.get("/\(number)")
                #expect(answer.cacheStatus.isStored && answer.storageError == nil)
            }
            let entries = try fixture.cache.namespace.entries.array()
            let bytes = try entries.reduce(0) { $0 + $1.key.bytes.count + (try $1.payload().bytes.count) }
            #expect(bytes <= 400_000)
            #expect(try await fixture.get("/199").cacheStatus.isHit)
        }

        @Test func aStoreThatFailsCostsTheCacheAndNotTheAnswer() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=60"])
            let index = try #require(try fixture.cache.namespace.keys.array().first { $0.bytes.count == 17 })
            try fixture.cache.namespace.set([1, 2, 3] as [UInt8], forKey: index, options: .purgeable)
            fixture.transport.reply(200, [.cacheControl: "max-age=60"], "two")
            let answer = try await fixture.get()
            #expect(answer.text == "two" && answer.storageError?.code == .corruption)
            #expect(answer.cacheStatus.forward == .miss && !answer.cacheStatus.isStored)
            try await fixture.store.close()
            fixture.transport.reply(200, [.cacheControl: "max-age=60"], "three")
            let closed = try await fixture.get()
            #expect(closed.text == "three" && closed.storageError?.code == .closed)
            try fixture.reopen()
        }

        @Test func theOptionsOfTheNamespaceAreKept() async throws {
            let fixture = try HTTPFixture()
            let namespace = fixture.store.common["own"]
            try namespace.setOptions(NamespaceOptions(timeToLive: .seconds(100), isVersionScoped: true))
            _ = try HTTPCache(in: namespace, transport: fixture.transport)
            let options = try namespace.options
            #expect(options.timeToLive == .seconds(100) && options.isVersionScoped && options.isPurgeable)
            #expect(options.purgePolicy.enforcement == .onWrite)
        }
    }
#endif
