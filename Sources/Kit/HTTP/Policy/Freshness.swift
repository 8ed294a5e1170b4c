#if HTTP
    import HTTPTypes
    import ShaleBase

    /// The rule by which lifetimes are estimated for responses that state none.
    struct HeuristicLimits: Equatable, Sendable {
        /// The share of the time since the last modification.
        var fraction: Double
        var maximumMilliseconds: Int64
    }

    /// The times of a stored response: its age when it was received, its freshness lifetime, and what may happen after
    /// that. Computed once, when the response is stored or validated. All values are in milliseconds.
    struct Freshness: Equatable, Sendable {
        /// The time at which the cache sent the request and received the head of the response, by its own clock.
        var requestTime: Int64
        var responseTime: Int64
        /// The value of `Date`; the time of reception if there is none.
        var date: Int64
        /// The corrected initial age (RFC 9111, section 4.2.3).
        var initialAge: Int64
        var lifetime: Int64
        /// The times after its lifetime for which the response may be used while it is validated, and if the origin
        /// fails.
        var staleWhileRevalidate: Int64
        var staleIfError: Int64
        /// True if every use needs a validation.
        var isNoCache: Bool
        var mustRevalidate: Bool
        var isImmutable: Bool

        /// A clock that was set back by more than this makes the age unknown.
        static let clockTolerance: Int64 = 1000
        /// The longest lifetime: 2³¹ s, as of `max-age`. An `Expires` that is later counts as this long.
        static let lifetimeMax = DeltaSeconds.max * 1000
        /// The times that records hold: within 285 616 years of 1970.
        private static let timeRange: ClosedRange<Int64> = -(1 << 53)...1 << 53

        init(
            status: Int, _ fields: HTTPFields, requestTime: Int64, responseTime: Int64, heuristics: HeuristicLimits
        ) {
            let directives = ResponseDirectives(fields)
            self.requestTime = requestTime
            self.responseTime = responseTime
            date =
                Freshness.single(fields, .date).flatMap { HTTPDate.milliseconds($0, now: responseTime) } ?? responseTime
            let apparentAge = max(0, responseTime - date)
            let delay = max(0, responseTime - requestTime)
            initialAge = max(apparentAge, Freshness.ageValue(fields) + delay)
            lifetime = 0
            staleWhileRevalidate = (directives.staleWhileRevalidate ?? 0) * 1000
            staleIfError = (directives.staleIfError ?? 0) * 1000
            isNoCache = directives.isNoCache
            mustRevalidate = directives.mustRevalidate
            isImmutable = directives.isImmutable
            lifetime = stated(fields, directives) ?? estimated(status, fields, directives, heuristics)
        }

        /// Makes the times that a record holds.
        init(
            requestTime: Int64, responseTime: Int64, date: Int64, initialAge: Int64, lifetime: Int64,
            staleWhileRevalidate: Int64, staleIfError: Int64, isNoCache: Bool, mustRevalidate: Bool, isImmutable: Bool
        ) {
            self.requestTime = requestTime
            self.responseTime = responseTime
            self.date = date
            self.initialAge = initialAge
            self.lifetime = lifetime
            self.staleWhileRevalidate = staleWhileRevalidate
            self.staleIfError = staleIfError
            self.isNoCache = isNoCache
            self.mustRevalidate = mustRevalidate
            self.isImmutable = isImmutable
        }

        /// True if no sum or difference of these times and of a clock's overflows. Records hold nothing else.
        var isInRange: Bool {
            [requestTime, responseTime, date].allSatisfy { Freshness.timeRange ~= $0 }
                && 0...Freshness.timeRange.upperBound ~= initialAge && 0...Freshness.lifetimeMax ~= lifetime
                && 0...Freshness.lifetimeMax ~= staleWhileRevalidate && 0...Freshness.lifetimeMax ~= staleIfError
        }

        /// The lifetime that the response states: `max-age`, else `Expires` − `Date`.
        private func stated(_ fields: HTTPFields, _ directives: ResponseDirectives) -> Int64? {
            if let maxAge = directives.maxAge, !PlantedBug.isActive(.readExpiresAlone) { return maxAge * 1000 }
            guard fields.contains(.expires) else { return nil }
            // Two lines that differ, and a value that is no date, mean a time in the past.
            guard let text = Freshness.single(fields, .expires),
                let expires = HTTPDate.milliseconds(text, now: responseTime)
            else { return 0 }
            return min(Freshness.lifetimeMax, max(0, expires - date))
        }

        /// The lifetime of a response that states none (RFC 9111, section 4.2.2).
        private func estimated(
            _ status: Int, _ fields: HTTPFields, _ directives: ResponseDirectives, _ limits: HeuristicLimits
        ) -> Int64 {
            guard Storability.isHeuristicallyCacheable(status) || directives.isPublic,
                let text = Freshness.single(fields, .lastModified),
                let modified = HTTPDate.milliseconds(text, now: responseTime), modified < date
            else { return 0 }
            return min(limits.maximumMilliseconds, Int64(Double(date - modified) * limits.fraction))
        }

        /// The value of `Age` in milliseconds: the first member counts, and a value that is no number is ignored.
        private static func ageValue(_ fields: HTTPFields) -> Int64 {
            guard !PlantedBug.isActive(.forgetReceivedAge), let line = fields[values: .age].first,
                let first = DirectiveList.elements(line).first
            else { return 0 }
            return (DeltaSeconds.parse(String(decoding: first, as: UTF8.self)) ?? 0) * 1000
        }

        /// Returns the value of a field that has one line, or several equal lines.
        private static func single(_ fields: HTTPFields, _ name: HTTPField.Name) -> String? {
            let lines = fields[values: name]
            guard let first = lines.first, lines.allSatisfy({ $0 == first }) else { return nil }
            return first
        }

        /// Returns the current age; `nil` if the clock was set back behind the time of reception.
        func age(at now: Int64) -> Int64? {
            guard now >= responseTime - Freshness.clockTolerance || PlantedBug.isActive(.trustOldClock) else {
                return nil
            }
            let (age, overflow) = initialAge.addingReportingOverflow(max(0, now - responseTime))
            return overflow ? .max : age
        }
    }
#endif
