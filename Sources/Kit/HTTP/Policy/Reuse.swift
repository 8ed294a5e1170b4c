#if HTTP
    import ShaleBase

    /// The use of a stored response for a request (RFC 9111, section 4).
    enum Reuse: Equatable {
        /// Usable without contact. `remaining`: milliseconds until the response is stale.
        case fresh(remaining: Int64)
        /// Stale, and usable without contact, because the request allows that.
        case staleAllowed
        /// Stale, and usable while it is validated.
        case staleWhileRevalidate
        /// Usable after validation only. `isStale`: false if the request asks for the validation.
        case validate(isStale: Bool)

        /// Decides for a stored response that the request selects.
        init(_ freshness: Freshness, _ request: RequestDirectives, at now: Int64) {
            guard let age = freshness.age(at: now), !freshness.isNoCache else {
                self = .validate(isStale: true)
                return
            }
            let remaining = freshness.lifetime - age
            guard !request.isNoCache else {
                self = .validate(isStale: remaining <= 0)
                return
            }
            // A response that never changes while it is fresh satisfies every limit of its age (RFC 8246).
            let ageLimit = freshness.isImmutable && remaining > 0 ? nil : request.maxAge?.policyMilliseconds
            let isYoung = ageLimit.map { age <= $0 } ?? true
            let minFresh = request.minFresh?.policyMilliseconds ?? 0
            if remaining > 0 {
                self = isYoung && remaining >= minFresh ? .fresh(remaining: remaining) : .validate(isStale: false)
                return
            }
            guard isYoung, minFresh == 0, !freshness.mustRevalidate else {
                self = .validate(isStale: true)
                return
            }
            if let maxStale = request.maxStale?.policyMilliseconds, Reuse.isWithin(-remaining, maxStale) {
                self = .staleAllowed
            } else if -remaining <= freshness.staleWhileRevalidate, freshness.staleWhileRevalidate > 0 {
                self = .staleWhileRevalidate
            } else {
                self = .validate(isStale: true)
            }
        }

        /// 2³¹ s and more mean any time.
        private static func isWithin(_ staleness: Int64, _ limit: Int64) -> Bool {
            limit >= DeltaSeconds.max * 1000 || staleness <= limit
        }

        /// The origin's failure to validate a stored response.
        enum Failure: Equatable {
            /// The origin can't be reached.
            case disconnected
            /// The origin answered with a status of 500 or above.
            case serverError
        }

        /// True if a stored response may be used after a failed validation (RFC 9111, section 4.2.4; RFC 5861, section
        /// 4).
        ///
        /// - Parameter allowsDisconnected: True if responses of any staleness may be used without connection.
        static func survives(
            _ failure: Failure, _ freshness: Freshness, _ request: RequestDirectives, at now: Int64,
            allowsDisconnected: Bool
        ) -> Bool {
            guard !freshness.isNoCache, !freshness.mustRevalidate, !request.isNoCache, request.minFresh == nil else {
                return false
            }
            guard let age = freshness.age(at: now) else { return failure == .disconnected && allowsDisconnected }
            if let limit = request.maxAge?.policyMilliseconds, age > limit { return false }
            if failure == .disconnected, allowsDisconnected { return true }
            let allowed = max(freshness.staleIfError, request.staleIfError?.policyMilliseconds ?? 0)
            if PlantedBug.isActive(.standInForever), allowed > 0 { return true }
            return allowed > 0 && isWithin(age - freshness.lifetime, allowed)
        }
    }
#endif
