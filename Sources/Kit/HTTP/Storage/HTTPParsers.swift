#if HTTP
    package import HTTPTypes
    package import ShaleBase

    /// The readers of stored records and of responses, for fuzzers.
    package enum HTTPParsers {
        /// A kind of record in the namespace.
        package enum Record: Sendable { case response, index }

        /// Reads a record. Returns the record that is written for what it holds.
        package static func rewritten(_ record: [UInt8], _ kind: Record) throws(StorageError) -> [UInt8] {
            switch kind {
            case .response: ResponseRecord.encode(try ResponseRecord.decode(record))
            case .index: try VariantIndex.decode(record).encode()
            }
        }

        /// The uses of a stored response for one request.
        package struct Uses: Equatable, Sendable {
            /// True if it is used without contact.
            package var withoutContact: Bool
            /// True if it stands in for an origin that answers with a server error.
            package var forServerError: Bool
        }

        /// Returns the uses of the response in a record, for a request with these fields at a time.
        package static func uses(
            of record: [UInt8], request: HTTPFields, at now: Int64
        ) throws(StorageError) -> Uses {
            let (freshness, directives) = (try ResponseRecord.decode(record).freshness, RequestDirectives(request))
            let survives = Reuse.survives(
                .serverError, freshness, directives, at: now, allowsDisconnected: true)
            if case .validate = Reuse(freshness, directives, at: now) {
                return Uses(withoutContact: false, forServerError: survives)
            }
            return Uses(withoutContact: true, forServerError: survives)
        }

        /// An exchange with an origin: the fields of the request, and the response with its times.
        package struct Exchange: Sendable {
            package var request: HTTPFields
            package var status: Int
            package var response: HTTPFields
            package var requestTime: Int64
            package var responseTime: Int64

            package init(
                request: HTTPFields, status: Int, response: HTTPFields, requestTime: Int64, responseTime: Int64
            ) {
                self.request = request
                self.status = status
                self.response = response
                self.requestTime = requestTime
                self.responseTime = responseTime
            }
        }

        /// Returns the records that are written for a response, and `nil` for each if it is refused.
        package static func records(_ exchange: Exchange, body: [UInt8]) -> (response: [UInt8], index: [UInt8])? {
            stored(exchange, exchange.response, body)
        }

        /// Returns the records that are written after a 304 with these fields. `nil` if the 304 confirms another
        /// response, or if the response may not be stored any more.
        package static func records(
            of record: [UInt8], confirmedBy update: Exchange
        ) throws(StorageError) -> (response: [UInt8], index: [UInt8])? {
            let old = try ResponseRecord.decode(record)
            guard Validation.confirms(update.response, old.fields) else { return nil }
            let fields = Validation.merged(old.fields, with: update.response, responseTime: update.responseTime)
            guard let fields else { return nil }
            var exchange = update
            exchange.status = old.head.status.code
            return stored(exchange, fields, old.body)
        }

        private static func stored(
            _ exchange: Exchange, _ fields: HTTPFields, _ body: [UInt8]
        ) -> (response: [UInt8], index: [UInt8])? {
            let options = HTTPCache.Options()
            var head = HTTPResponse(status: .init(code: exchange.status), headerFields: fields)
            guard Storability.refusal(request: exchange.request, head) == nil,
                Storability.excess(
                    of: head, fieldBytesMax: options.fieldBytesMax, bodyBytesMax: options.bodyBytesMax) == nil,
                let names = VaryNames(fields)
            else { return nil }
            head.headerFields = Storability.storedFields(fields, responseTime: exchange.responseTime)
            let freshness = Freshness(
                status: exchange.status, head.headerFields, requestTime: exchange.requestTime,
                responseTime: exchange.responseTime, heuristics: HTTPCache.heuristics(options))
            let response = StoredResponse(url: url, stamp: 1, freshness: freshness, head: head, body: body)
            var index = VariantIndex(url: url)
            _ = index.put(
                names, WideHash(high: 1, low: 2), stamp: 1, date: freshness.date, now: freshness.responseTime, max: 16)
            return (ResponseRecord.encode(response), index.encode())
        }

        private static let url = "https://example.org/folder/page?query"

        /// Returns the URLs whose responses are removed after an unsafe request with this response.
        package static func invalidated(by response: HTTPFields) -> [String] {
            guard let target = RequestTarget(url: url) else { return [] }
            return target.changed(by: response).map(\.url)
        }

        /// Returns the time of a date; `nil` if the text is no date.
        package static func milliseconds(_ date: String, now: Int64) -> Int64? {
            HTTPDate.milliseconds(date, now: now)
        }

        /// Returns the date of a time.
        package static func date(_ milliseconds: Int64) -> String { HTTPDate.text(milliseconds) }
    }
#endif
