#if HTTP
    import HTTPTypes
    import ShaleBase
    import ShaleHTTP

    extension FuzzTarget {
        static var ofHTTP: [FuzzTarget] { [httpRecord, httpResponse] }

        /// Input: a byte that selects the kind, then a record in the namespace of a cache. The store's checksums
        /// protect both.
        static let httpRecord = FuzzTarget(
            "http-record", "what an HTTP cache stores: responses, indexes of URLs, their use", seeds: HTTPTarget.seeds
        ) { input in
            guard let kind = input.first else { return }
            let record = Array(input.dropFirst())
            let again: [UInt8]
            do throws(StorageError) {
                again = try HTTPParsers.rewritten(record, kind & 1 == 0 ? .response : .index)
            } catch {
                return try requireTyped(error, namesPosition: false)
            }
            // Unknown flags and the case of names are lost, so only the second record is as the first.
            try require(
                try HTTPParsers.rewritten(again, kind & 1 == 0 ? .response : .index) == again,
                "a record changes when it is written again")
            if kind & 1 == 0 { try HTTPTarget.requireOrderOfUses(record, kind) }
        }

        /// Input: a byte that selects the status and the delay, then lines `kind name:value` with the fields of the
        /// request (`>`), of the response (`<`) and of a 304 that follows (`=`).
        static let httpResponse = FuzzTarget(
            "http-response", "responses of origins: what is stored, for how long, and what a 304 changes",
            seeds: HTTPTarget.exchanges
        ) { input in
            guard let selector = input.first else { return }
            let fields = HTTPTarget.fields(input.dropFirst())
            try HTTPTarget.requireDates(fields.response)
            try HTTPTarget.requireStatusList(fields.response)
            for url in HTTPParsers.invalidated(by: fields.response) {
                try require(url.hasPrefix("https://example.org/"), "an origin invalidates the URL of another one")
            }
            let exchange = HTTPTarget.exchange(selector, fields)
            guard let stored = HTTPParsers.records(exchange, body: Array("body".utf8)) else { return }
            try HTTPTarget.requireStorable(exchange)
            try HTTPTarget.requireReadable(stored)
            var update = HTTPTarget.exchange(selector, fields)
            update.response = fields.update
            update.requestTime += 1_000_000
            update.responseTime += 1_000_000
            guard let confirmed = try HTTPParsers.records(of: stored.response, confirmedBy: update) else { return }
            try HTTPTarget.requireReadable(confirmed)
        }
    }

    private enum HTTPTarget {
        static let now: Int64 = 1_800_000_000_000
        /// Records that the cache writes for the seeds of exchanges.
        static func seeds() throws -> [[UInt8]] {
            try exchanges().flatMap { input -> [[UInt8]] in
                guard let records = HTTPParsers.records(exchange(input[0], fields(input.dropFirst())), body: [1, 2, 3])
                else { return [] }
                return [[0] + records.response, [0b1011_0100] + records.response, [1] + records.index]
            }
        }

        static func exchanges() throws -> [[UInt8]] {
            [
                (0, "<cache-control:max-age=60\n<etag:\"1\"\n=etag:\"1\"\n=cache-control:max-age=5, no-cache=\"age\""),
                (0, "<expires:Fri, 31 Dec 9999 23:59:59 GMT\n<date:Sunday, 06-Nov-94 08:49:37 GMT\n<age:7, 8"),
                (1, "<last-modified:Sun Nov  6 08:49:37 1994\n<vary:accept, Cookie\n>accept:a\n=last-modified:x"),
                (7, "<cache-control:public, stale-if-error=9, stale-while-revalidate=\"9\"\n<connection:a\n<a:b"),
                (9, "<cache-control:no-store, must-understand, private=\"a\\\"b\", max-age=99999999999\n<a:b"),
                (37, "<content-length:4\n<cache-control:immutable, max-age=1\n<location:/b?c#d\n<content-location:c"),
                (2, "<cache-status:a; hit; ttl=-5, \"b\"; fwd=stale; fwd-status=304; stored; detail=\"x\""),
                (3, "<vary:*\n<location:https://EXAMPLE.org:443/x\n>cache-control:no-store\n<cache-control:no-store"),
            ].map { [UInt8($0.0)] + Array($0.1.utf8) }
        }

        private static let statuses = [200, 203, 204, 206, 299, 301, 304, 404, 410, 500, 503, 599]

        typealias Fields = (request: HTTPFields, response: HTTPFields, update: HTTPFields)

        static func fields(_ text: ArraySlice<UInt8>) -> Fields {
            var fields: Fields = (request: HTTPFields(), response: HTTPFields(), update: HTTPFields())
            for line in text.split(separator: UInt8(ascii: "\n")) {
                let parts = line.dropFirst().split(
                    separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, let name = HTTPField.Name(String(decoding: parts[0], as: UTF8.self)) else {
                    continue
                }
                let field = HTTPField(name: name, value: Array(parts[1]))
                switch line.first {
                case UInt8(ascii: ">"): fields.request.append(field)
                case UInt8(ascii: "<"): fields.response.append(field)
                case UInt8(ascii: "="): fields.update.append(field)
                default: break
                }
            }
            return fields
        }

        static func exchange(_ selector: UInt8, _ fields: Fields) -> HTTPParsers.Exchange {
            let delay = Int64(selector) / Int64(statuses.count) * 100
            return HTTPParsers.Exchange(
                request: fields.request, status: statuses[Int(selector) % statuses.count], response: fields.response,
                requestTime: now, responseTime: now + delay)
        }

        /// Checks that a response which is usable at a time is usable at every earlier time since its reception.
        static func requireOrderOfUses(_ record: [UInt8], _ selector: UInt8) throws {
            var request = HTTPFields()
            let directives = ["max-age=100", "min-fresh=5", "max-stale=1000", "stale-if-error=60", "no-cache"]
            let chosen = directives.enumerated().filter { selector >> (1 + $0.offset) & 1 == 1 }.map(\.element)
            if !chosen.isEmpty { request[.cacheControl] = chosen.joined(separator: ",") }
            let received = record.word(Int64.self, at: 20) ?? 0
            // Reading the record has checked that its times are far from overflow.
            let times = [0, 1, 4999, 60_000, 100_000, 3_600_000, 1 << 41, 1 << 52].map { received + $0 }
            let uses = try times.map { try HTTPParsers.uses(of: record, request: request, at: $0) }
            for (earlier, later) in zip(uses, uses.dropFirst()) {
                try require(
                    earlier.withoutContact || !later.withoutContact, "a response becomes fresh with its age")
                try require(
                    earlier.forServerError || !later.forServerError, "a response begins to stand in with its age")
            }
            for time in [-1 << 53, -1, 1 << 53] as [Int64] {
                _ = try HTTPParsers.uses(of: record, request: request, at: time)
            }
        }

        static func requireDates(_ fields: HTTPFields) throws {
            // A year of four digits: the text of earlier years has fewer.
            let first: Int64 = -30_610_224_000_000
            for field in fields {
                guard let time = HTTPParsers.milliseconds(field.value, now: now), time >= first else { continue }
                let text = HTTPParsers.date(time)
                try require(HTTPParsers.milliseconds(text, now: now) == time, "a date changes when it is written")
            }
        }

        static func requireStatusList(_ fields: HTTPFields) throws {
            let members: [CacheStatus]
            do throws(HTTPCacheError) {
                members = try CacheStatus.members(of: fields)
            } catch {
                return try require(error.code == .invalidResponse, "an error of another kind: \(error)")
            }
            guard let name = HTTPField.Name("Cache-Status") else { return }
            let text = try CacheStatus.fieldValue(members)
            try require(try CacheStatus.members(of: [name: text]) == members, "Cache-Status changes: \(text)")
        }

        /// Checks a response that is stored against the plainest of the rules.
        static func requireStorable(_ exchange: HTTPParsers.Exchange) throws {
            try require(exchange.status != 206 && exchange.status != 304, "a part or a 304 is stored")
            let control = exchange.response[values: .cacheControl]
            if control.contains("no-store"), !control.contains(where: { $0.lowercased().contains("must-understand") }) {
                throw FuzzFinding("a response with no-store is stored")
            }
            try require(!exchange.response[values: .vary].contains("*"), "a response is stored that matches no request")
            try require(!exchange.request[values: .cacheControl].contains("no-store"), "the request said no-store")
        }

        static func requireReadable(_ records: (response: [UInt8], index: [UInt8])) throws {
            let again: (response: [UInt8], index: [UInt8])
            do throws(StorageError) {
                again = (
                    try HTTPParsers.rewritten(records.response, .response),
                    try HTTPParsers.rewritten(records.index, .index)
                )
            } catch {
                throw FuzzFinding("what was stored can't be read: \(error)")
            }
            try require(again == records, "what was stored changes when it is read")
        }
    }
#else
    extension FuzzTarget {
        static var ofHTTP: [FuzzTarget] { [] }
    }
#endif
