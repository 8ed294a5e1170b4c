#if HTTP
    public import HTTPTypes
    import RawStructuredFieldValues

    /// The handling of a request by a cache: a member of the field `Cache-Status` (RFC 9211).
    ///
    /// ```swift
    /// print(answer.cacheStatus)     // ShaleHTTP; hit; ttl=59
    /// ```
    public struct CacheStatus: Sendable, Hashable {
        /// The reason why a request was sent on.
        public struct Forward: RawRepresentable, Hashable, Sendable {
            /// The token of the field.
            public let rawValue: String

            /// Makes a reason from its token.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// The cache is not used for the request: it has a range, its own preconditions, or says `no-store`.
            public static let bypass = Forward(rawValue: "bypass")
            /// The method is not answered from the cache.
            public static let method = Forward(rawValue: "method")
            /// Nothing is stored for the URL.
            public static let uriMiss = Forward(rawValue: "uri-miss")
            /// No variant of the URL matches the request.
            public static let varyMiss = Forward(rawValue: "vary-miss")
            /// A fresh response is stored, and the request asks for a validation.
            public static let request = Forward(rawValue: "request")
            /// The stored response is stale.
            public static let stale = Forward(rawValue: "stale")
            /// The stored response could not be read.
            public static let miss = Forward(rawValue: "miss")
        }

        /// The name of the cache.
        public var cache: String
        /// True if a stored response was used without contact.
        public var isHit = false
        /// The reason why the request was sent on; `nil` if it was not.
        public var forward: Forward?
        /// The status of the origin's response, if it is not the one of the answer.
        public var forwardStatus: Int?
        /// True if the origin's response was stored.
        public var isStored = false
        /// True if the request waited for an equal one that was in flight.
        public var isCollapsed = false
        /// The seconds until the response is stale; negative for a stale one.
        public var timeToLive: Int?
        /// An explanation, in ASCII.
        public var detail: String?

        init(cache: String, forward: Forward? = nil) {
            self.cache = cache
            self.forward = forward
        }

        /// Returns the value of the field, which also other caches on the way may have set.
        ///
        /// - Throws: `.invalidResponse` if a member has no valid form, such as a detail that is not ASCII.
        public static func fieldValue(_ members: [CacheStatus]) throws(HTTPCacheError) -> String {
            do {
                var serializer = StructuredFieldValueSerializer()
                let bytes = try serializer.writeListFieldValue(members.map { .item($0.item) })
                return String(decoding: bytes, as: UTF8.self)
            } catch {
                throw HTTPCacheError(.invalidResponse, "Cache-Status has no valid form", cause: error)
            }
        }

        private var item: Item {
            var parameters = OrderedMap<String, RFC9651BareItem>()
            if isHit { parameters["hit"] = .bool(true) }
            if let forward { parameters["fwd"] = .token(forward.rawValue) }
            if let forwardStatus { parameters["fwd-status"] = .integer(Int64(forwardStatus)) }
            if let timeToLive { parameters["ttl"] = .integer(Int64(timeToLive)) }
            if isStored { parameters["stored"] = .bool(true) }
            if isCollapsed { parameters["collapsed"] = .bool(true) }
            if let detail { parameters["detail"] = .string(detail) }
            return Item(bareItem: .string(cache), parameters: parameters)
        }

        /// Reads the members of a response's `Cache-Status`: the cache that is nearest to the origin first. Members
        /// that are no names are left out.
        ///
        /// - Throws: `.invalidResponse` if the field is no structured list.
        public static func members(of fields: HTTPFields) throws(HTTPCacheError) -> [CacheStatus] {
            let name = HTTPField.Name("Cache-Status")
            guard let name, let value = fields[name] else { return [] }
            do {
                var parser = StructuredFieldValueParser(Array(value.utf8))
                return try parser.parseListFieldValue().compactMap { member in
                    guard case .item(let item) = member else { return nil }
                    return CacheStatus(item)
                }
            } catch {
                throw HTTPCacheError(.invalidResponse, "Cache-Status is no structured list", cause: error)
            }
        }

        private init?(_ item: Item) {
            switch item.rfc9651BareItem {
            case .string(let name), .token(let name): cache = name
            default: return nil
            }
            for (name, value) in item.rfc9651Parameters {
                switch (name, value) {
                case ("hit", .bool(let flag)): isHit = flag
                case ("fwd", .token(let reason)): forward = Forward(rawValue: reason)
                case ("fwd-status", .integer(let status)): forwardStatus = Int(status)
                case ("ttl", .integer(let seconds)): timeToLive = Int(seconds)
                case ("stored", .bool(let flag)): isStored = flag
                case ("collapsed", .bool(let flag)): isCollapsed = flag
                case ("detail", .string(let text)), ("detail", .token(let text)): detail = text
                default: break
                }
            }
        }
    }

    extension CacheStatus: CustomStringConvertible {
        /// The member in the form of the field, with blanks.
        public var description: String {
            var text = cache
            if isHit { text += "; hit" }
            if let forward { text += "; fwd=\(forward.rawValue)" }
            if let forwardStatus { text += "; fwd-status=\(forwardStatus)" }
            if let timeToLive { text += "; ttl=\(timeToLive)" }
            if isStored { text += "; stored" }
            if isCollapsed { text += "; collapsed" }
            if let detail { text += "; detail=\"\(detail)\"" }
            return text
        }
    }
#endif
