#if HTTP
    public import HTTPTypes
    public import ShaleBase
    import ShalePlatform

    extension HTTPCache {
        /// Returns the response to a request, from the cache or from the origin.
        ///
        /// - A fresh stored response is returned without leaving the caller's thread, apart from a read of the store.
        /// - A stale one is validated. Equal requests that are in flight at once are sent once.
        /// - A request with `Range`, with preconditions of its own or with a body is sent on; its response is not
        ///   stored.
        /// - A request with an unsafe method is sent on. Unless it fails with a status of 400 or above, the responses
        ///   of its URL are removed, and those of `Location` and `Content-Location` at the same origin. They are also
        ///   removed if no response arrives, because the origin may have acted.
        ///
        /// - Parameters:
        ///   - request: A request with a scheme and an authority.
        ///   - body: The content of the request.
        ///   - directives: Replace the request's `Cache-Control`; `nil` keeps it.
        /// - Throws: `.unreachable` if the origin does not answer and no stored response may stand in;
        ///   `.incompleteBody`, `.invalidResponse`, `.invalidRequest`, `.cancelled`. A failing store is no error: see
        ///   ``HTTPAnswer/storageError``.
        public nonisolated(nonsending) func response(
            for request: HTTPRequest, body: [UInt8] = [], directives: RequestDirectives? = nil
        ) async throws(HTTPCacheError) -> HTTPAnswer {
            var request = request
            if let directives { request.headerFields[.cacheControl] = directives.fieldValue }
            guard let target = RequestTarget(request) else {
                throw HTTPCacheError(.invalidRequest, "a request needs a scheme and an authority")
            }
            let asked = RequestDirectives(request.headerFields)
            switch RequestKind(request, hasBody: !body.isEmpty, asked, target) {
            case .bypass(let reason): return try await passed(request, body, reason)
            case .unsafe: return try await changed(request, body, target)
            case .cached: break
            }
            switch decision(request, storage.hashed(target), asked) {
            case .answer(let answer): return answer
            case .answerAndValidate(let answer, let plan):
                if request.method == .get, !asked.isOnlyIfCached {
                    flights.startInBackground(flightKey(plan), max: options.backgroundRequestsMax) {
                        await self.fetched(plan)
                    }
                }
                return answer
            case .forward(let plan):
                if asked.isOnlyIfCached { return unsatisfied(plan) }
                return request.method == .head ? try await headForwarded(plan) : try await forwarded(plan)
            }
        }

        /// Returns the stored response to a request if it can be used without contact; `nil` otherwise.
        ///
        /// - Throws: The errors of reading the store.
        /// - Complexity: Two reads of the store, and O(fields + body).
        public func storedResponse(for request: HTTPRequest) throws(StorageError) -> HTTPAnswer? {
            let directives = RequestDirectives(request.headerFields)
            guard let target = RequestTarget(request),
                RequestKind(request, hasBody: false, directives, target) == .cached
            else { return nil }
            switch decision(request, storage.hashed(target), directives) {
            case .answer(let answer), .answerAndValidate(let answer, _): return answer
            case .forward(let plan):
                if let error = plan.storageError { throw error }
                return nil
            }
        }

        enum Decision {
            case answer(HTTPAnswer)
            case answerAndValidate(HTTPAnswer, RequestPlan)
            case forward(RequestPlan)
        }

        private func decision(_ request: HTTPRequest, _ url: HashedURL, _ directives: RequestDirectives) -> Decision {
            do throws(StorageError) {
                switch try storage.find(url, request.headerFields) {
                case .urlMiss: return .forward(RequestPlan(request, url, directives, .uriMiss))
                case .varyMiss: return .forward(RequestPlan(request, url, directives, .varyMiss))
                case .found(let selected):
                    let now = now
                    switch Reuse(selected.response.freshness, directives, at: now) {
                    case .fresh, .staleAllowed: return .answer(hit(selected.response, request.method, now))
                    case .staleWhileRevalidate:
                        return .answerAndValidate(
                            hit(selected.response, request.method, now),
                            RequestPlan(request, url, directives, .stale, selected))
                    case .validate(let isStale):
                        return .forward(RequestPlan(request, url, directives, isStale ? .stale : .request, selected))
                    }
                }
            } catch {
                var plan = RequestPlan(request, url, directives, .miss)
                plan.storageError = error
                return .forward(plan)
            }
        }

        /// Returns a stored response that is used without contact.
        func hit(_ response: consuming StoredResponse, _ method: HTTPRequest.Method, _ now: Int64) -> HTTPAnswer {
            var status = CacheStatus(cache: options.name)
            status.isHit = true
            return answer(response, method, now, status)
        }

        /// Returns a stored response with its current age.
        func answer(
            _ response: consuming StoredResponse, _ method: HTTPRequest.Method, _ now: Int64, _ status: CacheStatus
        ) -> HTTPAnswer {
            let freshness = response.freshness
            let age = freshness.age(at: now)
            // In place: the only owner of the fields does not copy them.
            response.head.headerFields[.age] = String((age ?? freshness.initialAge) / 1000)
            var status = status
            let remaining = freshness.lifetime - (age ?? freshness.lifetime)
            status.timeToLive = Int(remaining / 1000)
            var answer = HTTPAnswer(
                head: response.head, body: HTTPBody(method == .head ? [] : response.body), cacheStatus: status)
            answer.isStale = remaining <= 0
            return answer
        }

        private func unsatisfied(_ plan: RequestPlan) -> HTTPAnswer {
            var status = CacheStatus(cache: options.name)
            status.detail = "only-if-cached"
            var answer = HTTPAnswer(
                head: HTTPResponse(status: .gatewayTimeout), body: HTTPBody(), cacheStatus: status)
            answer.storageError = plan.storageError
            return answer
        }

        func flightKey(_ plan: RequestPlan) -> FlightTable<FetchedResponse>.Key {
            let request = plan.request
            return .init(
                request: storage.keys.hash(
                    of: request.headerFields, method: request.method.rawValue, url: plan.url.url), epoch: flights.epoch)
        }

        // MARK: Forwarding

        /// Sends a GET request on, or waits for an equal one.
        private nonisolated(nonsending) func forwarded(_ plan: RequestPlan) async throws(HTTPCacheError) -> HTTPAnswer {
            let (outcome, isLeader) = await flights.outcome(of: flightKey(plan)) { await self.fetched(plan) }
            if isLeader { return try answer(outcome, plan) }
            switch outcome {
            case .failure: return try answer(outcome, plan)
            case .success(let fetched):
                if let shared = shared(fetched, plan) { return shared }
                if fetched.head.status.isServerError, let answer = standIn(.serverError, plan) { return answer }
                // The response serves one request only, so this one sends its own.
                return try answer(await self.fetched(plan), plan)
            }
        }

        /// Returns the response of another request's flight, if this request may use it without a validation of its
        /// own.
        private func shared(_ fetched: FetchedResponse, _ plan: RequestPlan) -> HTTPAnswer? {
            guard let stored = fetched.stored else { return nil }
            let now = now
            guard case .fresh = Reuse(stored.freshness, plan.directives, at: now) else { return nil }
            var status = CacheStatus(cache: options.name, forward: plan.forward)
            status.isCollapsed = true
            return answer(stored, plan.request.method, now, status)
        }

        /// Returns the answer for an outcome of this request's own flight.
        func answer(
            _ outcome: Result<FetchedResponse, HTTPCacheError>, _ plan: RequestPlan
        ) throws(HTTPCacheError) -> HTTPAnswer {
            switch outcome {
            case .failure(let error):
                guard error.code == .unreachable, var answer = standIn(.disconnected, plan) else { throw error }
                answer.storageError = plan.storageError
                return answer
            case .success(let fetched):
                if fetched.head.status.isServerError, var answer = standIn(.serverError, plan) {
                    answer.cacheStatus.forwardStatus = fetched.head.status.code
                    answer.storageError = plan.storageError
                    return answer
                }
                var answer = HTTPAnswer(head: fetched.head, body: fetched.body, cacheStatus: fetched.status)
                answer.storageError = fetched.storageError ?? plan.storageError
                return answer
            }
        }

        /// Returns the stored response in place of an origin that failed, if that is allowed.
        private func standIn(_ failure: Reuse.Failure, _ plan: RequestPlan) -> HTTPAnswer? {
            let now = now
            guard let response = plan.selected?.response,
                Reuse.survives(
                    failure, response.freshness, plan.directives, at: now,
                    allowsDisconnected: options.servesStaleWhenUnreachable)
            else { return nil }
            var status = CacheStatus(cache: options.name, forward: plan.forward)
            status.detail = failure == .disconnected ? "unreachable" : "server error"
            var answer = answer(response, plan.request.method, now, status)
            answer.isOffline = failure == .disconnected
            return answer
        }
    }

    extension HTTPResponse.Status {
        /// True for the statuses that `stale-if-error` is about (RFC 5861, section 4).
        var isServerError: Bool { code == 500 || 502...504 ~= code }
    }
#endif
