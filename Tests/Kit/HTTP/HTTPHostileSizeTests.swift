#if HTTP && os(Linux)
    import HTTPTypes
    import Shale
    import ShaleBase
    import TestSupport
    import Testing

    @testable import ShaleHTTP

    /// Responses and records that take much more memory than they should. Each is read in a separate process that can
    /// allocate at most 1 GiB, or less where the test says so.
    @Suite struct HTTPHostileSizeTests {
        /// As arrays of one byte, the body would take 120 MB.
        @Test func aBodyOfSingleBytesTakesItsSize() async {
            await #expect(processExitsWith: .success) {
                let body = HTTPBody(LongBody(chunkBytes: 1, count: 2 << 20))
                try limitAddressSpace(roomBytes: 96 << 20)
                #expect(try await body.collected(upTo: 4 << 20).bytes.count == 2 << 20)
            }
        }

        @Test func anEndlessBodyIsNotCollected() async {
            await #expect(processExitsWith: .success) {
                let fixture = try HTTPFixture()
                let endless = LongBody(chunkBytes: 1 << 20, count: .max)
                fixture.transport.then { _ in
                    HTTPReply(
                        head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60"]),
                        body: HTTPBody(endless))
                }
                try limitAddressSpace()
                let answer = try await fixture.get()
                #expect(!answer.cacheStatus.isStored && endless.readCount.withLock { $0 } == 5)
                #expect(await httpCode { _ = try await answer.body.bytes(upTo: 64 << 20) } == .bodyTooLarge)
            }
        }

        /// A server that the transport does not limit.
        @Test func aHeadOfManyFieldsIsNotStored() async {
            await #expect(processExitsWith: .success) {
                let fixture = try HTTPFixture()
                var fields: HTTPFields = [.cacheControl: "max-age=60"]
                for number in 0..<65_000 { fields.append(HTTPField(name: .setCookie, value: "\(number)")) }
                var vary: HTTPFields = [.cacheControl: "max-age=60"]
                vary[.vary] = (0..<200_000).map { "x-\($0)" }.joined(separator: ",")
                fixture.transport.reply(200, fields, "one")
                fixture.transport.reply(200, vary, "two")
                try limitAddressSpace()
                for _ in 0..<2 { #expect(try await !fixture.get().cacheStatus.isStored) }
            }
        }

        /// Records of the largest size that a store holds, which an attacker wrote.
        @Test func recordsOfTheLargestSizeAreReadOrRefused() async {
            await #expect(processExitsWith: .success) {
                let size = 32 << 20
                var fields = HTTPHostileSizeTests.head(fieldCount: .max)
                for _ in 0..<UInt16.max { fields += [1, 0, 0, 0, 0, 0, 0x61] }
                fields += [UInt8](repeating: 0, count: 4)
                var large = HTTPHostileSizeTests.head(fieldCount: 1)
                large += [1, 0, 0, 0, 0xFF, 1, 0x61] + [UInt8](repeating: 0x61, count: 0x1FF_0000)
                large += [UInt8](repeating: 0, count: 4)
                var cut = HTTPHostileSizeTests.head(fieldCount: .max)
                cut += [UInt8](repeating: 0, count: size - cut.count)
                var index: [UInt8] = [1, 0, 0, 0, 0, 255]
                for _ in 0..<255 {
                    index.append(32)
                    for _ in 0..<32 { index += [255] + [UInt8](repeating: 0x61, count: 255) }
                }
                index += [255, 255]
                for _ in 0..<UInt16.max { index += [UInt8](repeating: 0, count: 41) }
                try limitAddressSpace()
                #expect(try ResponseRecord.decode(large).fields.count == 1)
                #expect(code { () throws(StorageError) in try ResponseRecord.decode(fields) } == .corruption)
                #expect(code { () throws(StorageError) in try ResponseRecord.decode(cut) } == .corruption)
                #expect(try VariantIndex.decode(index).variants.count == Int(UInt16.max))
            }
        }

        /// The beginning of a record up to the number of its fields.
        private static func head(fieldCount: UInt16) -> [UInt8] {
            [1, 0, 200, 0] + [UInt8](repeating: 0, count: 8 + 7 * 8 + 4)
                + [UInt8(truncatingIfNeeded: fieldCount), UInt8(fieldCount >> 8)]
        }
    }
#endif
