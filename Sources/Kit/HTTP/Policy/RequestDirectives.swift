#if HTTP
    import HTTPTypes

    /// Which stored responses a request accepts: the directives of its `Cache-Control` (RFC 9111, section 5.2.1).
    ///
    /// ```swift
    /// let answer = try await cache.response(for: request, directives: .onlyIfCached)
    /// ```
    /// Durations are rounded down to seconds when they are sent; 2³¹ s and more mean any duration.
    public struct RequestDirectives: Sendable, Hashable {
        /// Accepts no stored response that is older.
        public var maxAge: Duration?
        /// Accepts no stored response that will be stale within this time.
        public var minFresh: Duration?
        /// Accepts a response that has been stale for at most this time, unless the response forbids that.
        public var maxStale: Duration?
        /// Accepts a response that has been stale for at most this time if the origin fails (RFC 5861).
        public var staleIfError: Duration?
        /// Accepts a stored response only after validation.
        public var isNoCache = false
        /// Neither uses nor stores a response.
        public var isNoStore = false
        /// Accepts stored responses only. Without one the answer has status 504, and nothing is sent.
        public var isOnlyIfCached = false

        /// Accepts fresh responses. The directives of a request without `Cache-Control`.
        public init() {}

        /// Accepts a stored response only after validation.
        public static let revalidate = RequestDirectives { $0.isNoCache = true }
        /// Neither uses nor stores a response.
        public static let noStore = RequestDirectives { $0.isNoStore = true }
        /// Accepts fresh stored responses only, and sends nothing.
        public static let onlyIfCached = RequestDirectives { $0.isOnlyIfCached = true }

        /// Accepts a response that has been stale for at most `duration`.
        public static func maxStale(_ duration: Duration) -> RequestDirectives {
            RequestDirectives { $0.maxStale = duration }
        }

        private init(_ change: (inout RequestDirectives) -> Void) { change(&self) }

        /// Reads the directives of a request. `Pragma: no-cache` counts if there is no `Cache-Control`.
        init(_ fields: HTTPFields) {
            guard fields.contains(.cacheControl) else {
                let pragma = fields.filter { $0.name.canonicalName == "pragma" }.map(\.value)
                isNoCache = DirectiveList.parse(pragma).contains { $0.name == "no-cache" }
                return
            }
            for directive in DirectiveList.parse(fields[values: .cacheControl]) { take(directive) }
        }

        private mutating func take(_ directive: Directive) {
            let seconds = directive.argument.flatMap { DeltaSeconds.parse($0) }
            switch directive.name {
            // A limit that can't be read is the strictest one.
            case "max-age": maxAge = .seconds(seconds ?? 0)
            case "min-fresh": minFresh = .seconds(seconds ?? DeltaSeconds.max)
            case "max-stale":
                maxStale = directive.argument == nil ? .seconds(DeltaSeconds.max) : seconds.map { .seconds($0) }
            case "stale-if-error": staleIfError = seconds.map { .seconds($0) }
            case "no-cache": isNoCache = true
            case "no-store": isNoStore = true
            case "only-if-cached": isOnlyIfCached = true
            default: break
            }
        }

        /// The value of the field; `nil` if there is no directive.
        var fieldValue: String? {
            var directives: [String] = []
            if let maxAge { directives.append("max-age=\(maxAge.deltaSeconds)") }
            if let minFresh { directives.append("min-fresh=\(minFresh.deltaSeconds)") }
            if let maxStale {
                let isAny = maxStale.deltaSeconds >= DeltaSeconds.max
                directives.append(isAny ? "max-stale" : "max-stale=\(maxStale.deltaSeconds)")
            }
            if let staleIfError { directives.append("stale-if-error=\(staleIfError.deltaSeconds)") }
            if isNoCache { directives.append("no-cache") }
            if isNoStore { directives.append("no-store") }
            if isOnlyIfCached { directives.append("only-if-cached") }
            return directives.isEmpty ? nil : directives.joined(separator: ", ")
        }
    }

    extension Duration {
        /// The whole seconds, in 0 … 2³¹.
        var deltaSeconds: Int64 { min(max(components.seconds, 0), DeltaSeconds.max) }

        /// The whole milliseconds of a duration, in 0 … 1000 × 2³¹.
        var policyMilliseconds: Int64 {
            let (seconds, attoseconds) = components
            guard seconds < DeltaSeconds.max else { return DeltaSeconds.max * 1000 }
            return max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000)
        }
    }
#endif
