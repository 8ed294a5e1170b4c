#if HTTP
    import HTTPTypes
    import Shale
    import ShalePlatform
    import TestSupport
    import Testing

    @testable import ShaleHTTP

    @Suite struct CacheRecordTests {
        private func response(_ fields: HTTPFields = [.eTag: "\"1\"", .contentType: "text/plain"]) -> StoredResponse {
            StoredResponse(
                url: "https://example.org/a", stamp: 7,
                freshness: Freshness(
                    requestTime: 1, responseTime: 2, date: 3, initialAge: 4, lifetime: 5, staleWhileRevalidate: 6,
                    staleIfError: 7, isNoCache: true, mustRevalidate: false, isImmutable: true),
                head: HTTPResponse(status: .ok, headerFields: fields), body: [1, 2, 3])
        }

        private func index() throws -> VariantIndex {
            var index = VariantIndex(url: "https://example.org/a")
            let names = try #require(VaryNames(names: ["accept", "cookie"]))
            for number in 0..<5 {
                _ = index.put(
                    number % 2 == 0 ? names : try #require(VaryNames(names: [])),
                    WideHash(high: UInt64(number), low: 1), stamp: 9, date: 10, now: Int64(number), max: 16)
            }
            return index
        }

        @Test func aResponseIsReadAsItWasWritten() throws {
            #expect(try ResponseRecord.decode(ResponseRecord.encode(response())) == response())
            let empty = response([:])
            #expect(try ResponseRecord.decode(ResponseRecord.encode(empty)) == empty)
        }

        @Test func valuesThatAreNotUTF8AreKept() throws {
            let name = try #require(HTTPField.Name("x-bytes"))
            var fields = HTTPFields()
            fields.append(HTTPField(name: name, value: [0x61, 0xE9, 0xFF] as [UInt8]))
            let read = try ResponseRecord.decode(ResponseRecord.encode(response(fields)))
            let values = read.fields[fields: name].map { field in
                unsafe field.withUnsafeBytesOfValue { unsafe Array($0) }
            }
            #expect(values == [[0x61, 0xE9, 0xFF]])
        }

        @Test func everyCutRecordIsCorrupt() throws {
            let record = ResponseRecord.encode(response())
            for length in 1..<record.count {
                let cut = Array(record.prefix(length))
                #expect(code { () throws(StorageError) in try ResponseRecord.decode(cut) } == .corruption)
            }
            let indexRecord = try index().encode()
            for length in 1..<indexRecord.count {
                let cut = Array(indexRecord.prefix(length))
                #expect(code { () throws(StorageError) in try VariantIndex.decode(cut) } == .corruption)
            }
        }

        @Test func hostileRecordsThrowAndNothingElse() throws {
            let random = SeededRandom(seed: 11)
            let records = (ResponseRecord.encode(response()), try index().encode())
            for _ in 0..<20_000 {
                var (record, indexRecord) = records
                for _ in 0..<Int(random.next() % 4 + 1) {
                    record[Int(random.next() % UInt64(record.count))] = UInt8(truncatingIfNeeded: random.next())
                    indexRecord[Int(random.next() % UInt64(indexRecord.count))] = UInt8(
                        truncatingIfNeeded: random.next())
                }
                let codes = [
                    code { () throws(StorageError) in try ResponseRecord.decode(record) },
                    code { () throws(StorageError) in try VariantIndex.decode(indexRecord) },
                ]
                #expect(codes.allSatisfy { [nil, .corruption, .newerFormat].contains($0) })
            }
        }

        /// A checksum does not protect from a record that an attacker wrote.
        @Test(arguments: [Int64.min, .max, -1 - 1 << 53])
        func aTimeThatArithmeticCanNotTakeIsCorrupt(_ time: Int64) throws {
            // Request time, response time, date, initial age, lifetime, and the two times after it.
            for field in 0..<7 {
                var record = ResponseRecord.encode(response())
                for byte in 0..<8 { record[12 + 8 * field + byte] = UInt8(truncatingIfNeeded: time >> Int64(8 * byte)) }
                #expect(code { () throws(StorageError) in try ResponseRecord.decode(record) } == .corruption)
            }
        }

        @Test func anotherVersionIsANewerFormat() throws {
            var record = ResponseRecord.encode(response())
            record[0] = 2
            #expect(code { () throws(StorageError) in try ResponseRecord.decode(record) } == .newerFormat)
            #expect(code { () throws(StorageError) in try VariantIndex.decode([]) } == .newerFormat)
        }

        @Test func anIndexIsReadAsItWasWritten() throws {
            let index = try index()
            #expect(try VariantIndex.decode(index.encode()) == index)
            #expect(index.varies.count == 2 && index.variants.count == 5)
        }

        @Test func theOldestVariantMakesRoom() throws {
            var index = try index()
            let names = try #require(VaryNames(names: ["x"]))
            let removed = index.put(names, WideHash(high: 100, low: 1), stamp: 1, date: 1, now: 100, max: 3)
            #expect(removed.map(\.storedAt).sorted() == [0, 1, 2])
            #expect(index.variants.count == 3)
            #expect(try VariantIndex.decode(index.encode()) == index)
        }

        @Test func aVaryWithoutVariantsIsDropped() throws {
            var index = try index()
            for number in [0, 2, 4] { index.remove(WideHash(high: UInt64(number), low: 1)) }
            #expect(index.varies.map(\.names) == [[]])
            #expect(index.variants.map(\.vary) == [0, 0])
        }

        @Test func theNewestOfSeveralMatchingVariantsIsSelected() throws {
            var index = VariantIndex(url: "u")
            let (one, two) = (WideHash(high: 1, low: 1), WideHash(high: 2, low: 2))
            _ = index.put(try #require(VaryNames(names: [])), one, stamp: 1, date: 5, now: 1, max: 9)
            _ = index.put(try #require(VaryNames(names: ["x"])), two, stamp: 2, date: 4, now: 2, max: 9)
            #expect(index.selected { $0.isEmpty ? one : two }?.stamp == 1)
            #expect(index.selected { $0.isEmpty ? two : two }?.stamp == 2)
            #expect(index.selected { _ in WideHash(high: 0, low: 0) } == nil)
        }
    }
#endif
