#if HTTP
    import HTTPTypes
    import Shale
    import ShaleBase
    import ShalePlatform

    /// A reply with the times at which its request was sent and its head arrived.
    private struct Exchange: Sendable {
        let reply: HTTPReply
        let requestTime: Int64
        let responseTime: Int64

        var head: HTTPResponse { reply.head }
    }

    extension HTTPCache {
        /// Sends a GET request to the origin and stores the response, if it may be stored.
        func fetched(_ plan: RequestPlan) async -> Result<FetchedResponse, HTTPCacheError> {
            let mark = flights.begin(plan.url.hash)
            defer { flights.end(mark) }
            do throws(HTTPCacheError) {
                return .success(try await fetch(plan, StoringPermit(self, mark)))
            } catch {
                return .failure(error)
            }
        }

        private func fetch(_ plan: RequestPlan, _ permit: StoringPermit) async throws(HTTPCacheError) -> FetchedResponse
        {
            var request = plan.request
            let selected = plan.selected.flatMap { Validation.hasValidator($0.response.fields) ? $0 : nil }
            if let selected {
                request.headerFields = Validation.conditional(request.headerFields, for: selected.response.fields)
            }
            var exchange = try await sent(request, [])
            if exchange.head.status == .notModified {
                if let selected, Validation.confirms(exchange.head.headerFields, selected.response.fields) {
                    return await validated(selected, exchange, plan, permit)
                }
                // The 304 confirms another response than the stored one, or nothing was asked. Without preconditions
                // the origin has to send the whole response.
                exchange = try await sent(plan.request, [])
                guard exchange.head.status != .notModified else {
                    throw HTTPCacheError(.invalidResponse, "the origin answered 304 to a request without precondition")
                }
            }
            return try await taken(exchange, plan, permit)
        }

        private func sent(_ request: HTTPRequest, _ body: [UInt8]) async throws(HTTPCacheError) -> Exchange {
            let requestTime = now
            let reply: HTTPReply
            do {
                reply = try await transport.send(request, body: body)
            } catch {
                if error is CancellationError || Task.isCancelled { throw .cancellation }
                if let known = error as? HTTPCacheError { throw known }
                throw HTTPCacheError(.unreachable, "the origin did not answer", cause: error)
            }
            guard reply.head.status.code >= 200 else {
                throw HTTPCacheError(.invalidResponse, "the transport returned a response that is not final")
            }
            return Exchange(reply: reply, requestTime: requestTime, responseTime: now)
        }

        /// Handles a full response.
        private func taken(
            _ exchange: Exchange, _ plan: RequestPlan, _ permit: StoringPermit
        ) async throws(HTTPCacheError) -> FetchedResponse {
            let head = exchange.head
            var fetched = FetchedResponse(
                head: head, body: exchange.reply.body, status: CacheStatus(cache: options.name, forward: plan.forward))
            if let refusal = refusal(head, plan) {
                fetched.status.detail = refusal
                fetched.storageError = await replaced(plan, by: head)
                return fetched
            }
            let (body, rest) = try await exchange.reply.body.collected(upTo: options.bodyBytesMax)
            if let rest {
                fetched.body = HTTPBody(first: body, rest: rest)
                fetched.status.detail = "the body is too large"
                fetched.storageError = await replaced(plan, by: head)
                return fetched
            }
            if let length = head.statedLength, length != body.count, !PlantedBug.isActive(.trustStatedLength) {
                throw HTTPCacheError(
                    .incompleteBody, "Content-Length is \(length), and the body has \(body.count) bytes")
            }
            fetched.body = HTTPBody(body)
            let response = stored(head, head.headerFields, exchange, body, plan)
            (fetched.stored, fetched.storageError) = await permit.store(response, plan)
            fetched.status.isStored = fetched.stored != nil
            return fetched
        }

        /// Returns the reason why a response is not stored; `nil` if it is.
        private func refusal(_ head: HTTPResponse, _ plan: RequestPlan) -> String? {
            if isReadOnly { return "the store is read-only" }
            return Storability.refusal(request: plan.request.headerFields, head)
                ?? Storability.excess(
                    of: head, fieldBytesMax: options.fieldBytesMax, bodyBytesMax: options.bodyBytesMax)
        }

        private func stored(
            _ head: HTTPResponse, _ fields: HTTPFields, _ exchange: Exchange, _ body: [UInt8], _ plan: RequestPlan
        ) -> StoredResponse {
            let fields = Storability.storedFields(fields, responseTime: exchange.responseTime)
            let freshness = Freshness(
                status: head.status.code, fields, requestTime: exchange.requestTime,
                responseTime: exchange.responseTime,
                heuristics: heuristics)
            return StoredResponse(
                url: plan.url.url, stamp: 0, freshness: freshness,
                head: HTTPResponse(status: head.status, headerFields: fields), body: body)
        }

        /// Returns a stored response with the fields of one that confirms it, and the reason if it may not be stored.
        /// The fields stay as they were if the new ones are too many.
        private func merged(
            _ selected: SelectedResponse, _ exchange: Exchange, _ plan: RequestPlan
        ) -> (response: StoredResponse, refusal: String?) {
            let old = selected.response
            let fields = Validation.merged(
                old.fields, with: exchange.head.headerFields, responseTime: exchange.responseTime)
            guard let fields else { return (old, "the fields are too large") }
            let response = stored(old.head, fields, exchange, old.body, plan)
            return (response, refusal(response.head, plan))
        }

        /// Handles a 304 that confirms the stored response.
        private func validated(
            _ selected: SelectedResponse, _ exchange: Exchange, _ plan: RequestPlan, _ permit: StoringPermit
        ) async -> FetchedResponse {
            let (response, refusal) = merged(selected, exchange, plan)
            var fetched = FetchedResponse(
                head: response.head, body: HTTPBody(response.body),
                status: CacheStatus(cache: options.name, forward: plan.forward))
            fetched.status.forwardStatus = HTTPResponse.Status.notModified.code
            if let refusal {
                fetched.status.detail = refusal
                fetched.storageError = await removed(selected, plan)
                return fetched
            }
            (fetched.stored, fetched.storageError) = await permit.store(response, plan)
            fetched.status.isStored = fetched.stored != nil
            return fetched
        }

        /// Removes the response that a newer one replaces which is not stored. A server error replaces nothing.
        private func replaced(_ plan: RequestPlan, by head: HTTPResponse) async -> StorageError? {
            guard let selected = plan.selected, head.status.code < 500 else { return nil }
            return await removed(selected, plan)
        }

        private func removed(_ selected: SelectedResponse, _ plan: RequestPlan) async -> StorageError? {
            guard !isReadOnly else { return nil }
            do throws(StorageError) {
                try await BlockingWork.run(isCancellable: false) { [storage] (_) throws(StorageError) in
                    try storage.remove(selected.variant, stamp: selected.response.stamp, at: plan.url)
                }
                return nil
            } catch {
                return error
            }
        }

        // MARK: Other methods

        /// Sends a HEAD request on, and compares its response with the stored one (RFC 9111, section 4.3.5).
        func headForwarded(_ plan: RequestPlan) async throws(HTTPCacheError) -> HTTPAnswer {
            let mark = flights.begin(plan.url.hash)
            defer { flights.end(mark) }
            let permit = StoringPermit(self, mark)
            let exchange: Exchange
            do throws(HTTPCacheError) {
                exchange = try await sent(plan.request, [])
            } catch {
                return try answer(.failure(error), plan)
            }
            var fetched = FetchedResponse(
                head: exchange.head, body: HTTPBody(), status: CacheStatus(cache: options.name, forward: plan.forward))
            if exchange.head.status == .ok, let selected = plan.selected {
                let (response, refusal) = merged(selected, exchange, plan)
                let isDescribed =
                    response.head.status == .ok
                    && Validation.describes(exchange.head.headerFields, selected.response.fields)
                if isDescribed, refusal == nil {
                    (_, fetched.storageError) = await permit.store(response, plan)
                } else {
                    fetched.storageError = await removed(selected, plan)
                }
            }
            return try answer(.success(fetched), plan)
        }

        /// Sends on a request that the cache has no part in.
        func passed(
            _ request: HTTPRequest, _ body: [UInt8], _ reason: CacheStatus.Forward
        ) async throws(HTTPCacheError) -> HTTPAnswer {
            let reply = try await sent(request, body).reply
            return HTTPAnswer(
                head: reply.head, body: reply.body, cacheStatus: CacheStatus(cache: options.name, forward: reason))
        }

        /// Sends on a request with an unsafe method, and removes the responses that it may have changed.
        func changed(
            _ request: HTTPRequest, _ body: [UInt8], _ target: RequestTarget
        ) async throws(HTTPCacheError) -> HTTPAnswer {
            let reply: HTTPReply
            do throws(HTTPCacheError) {
                reply = try await sent(request, body).reply
            } catch {
                // The origin may have acted. The caller gets the first error, which is the more important one.
                _ = await invalidated([target])
                throw error
            }
            var answer = HTTPAnswer(
                head: reply.head, body: reply.body, cacheStatus: CacheStatus(cache: options.name, forward: .method))
            guard 200..<400 ~= reply.head.status.code, !PlantedBug.isActive(.keepChanged) else { return answer }
            answer.storageError = await invalidated(target.changed(by: reply.head.headerFields))
            return answer
        }

        private func invalidated(_ targets: [RequestTarget]) async -> StorageError? {
            do throws(StorageError) {
                try await BlockingWork.run(isCancellable: false) { (_) throws(StorageError) in
                    for target in targets { try self.invalidate(self.storage.hashed(target)) }
                }
                return nil
            } catch {
                return error
            }
        }
    }

    /// The permission of one request to store its response: it ends with an invalidation of its URL, and with a purge
    /// or truncation of the namespace.
    private struct StoringPermit: Sendable {
        let cache: HTTPCache
        let mark: UInt64
        /// The erasures of the namespace when the request began.
        let erasures: Result<[SequenceNumber], StorageError>

        init(_ cache: HTTPCache, _ mark: UInt64) {
            self.cache = cache
            self.mark = mark
            erasures = StoringPermit.erasures(of: cache.namespace)
        }

        private static func erasures(of namespace: Store.Namespace) -> Result<[SequenceNumber], StorageError> {
            Result { () throws(StorageError) in
                let erasures = try namespace.erasures
                return [erasures.truncatedThrough, erasures.purgedThrough]
            }
        }

        /// Stores a response. Returns it as it is stored; `nil` if the permission has ended, or with an error.
        func store(_ response: StoredResponse, _ plan: RequestPlan) async -> (StoredResponse?, StorageError?) {
            do throws(StorageError) {
                let stored = try await BlockingWork.run(isCancellable: false) {
                    (_) throws(StorageError) in try storeNow(response, plan)
                }
                return (stored?.response, nil)
            } catch {
                return (nil, error)
            }
        }

        private func storeNow(_ response: StoredResponse, _ plan: RequestPlan) throws(StorageError) -> SelectedResponse?
        {
            let before = try erasures.get()
            guard try StoringPermit.erasures(of: cache.namespace).get() == before || PlantedBug.isActive(.storePurged)
            else { return nil }
            let stored = try cache.storage.store(response, at: plan.url, for: plan.request.headerFields) {
                !cache.flights.isSuperseded(mark) || PlantedBug.isActive(.storeOutdated)
            }
            guard let stored else { return nil }
            // The variant changes if a validation brings another Vary.
            if let old = plan.selected, old.variant != stored.variant {
                try cache.storage.remove(old.variant, stamp: old.response.stamp, at: plan.url)
            }
            // A purge between the first look and the commit would not take the response.
            guard try StoringPermit.erasures(of: cache.namespace).get() == before || PlantedBug.isActive(.storePurged)
            else {
                try cache.storage.remove(stored.variant, stamp: stored.response.stamp, at: plan.url)
                return nil
            }
            return stored
        }
    }
#endif
