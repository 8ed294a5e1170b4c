#if HTTP
    import HTTPTypes
    import ShaleBase

    /// Decides which responses may be stored, and with which fields (RFC 9111, section 3).
    enum Storability {
        /// The statuses that RFC 9110 defines as heuristically cacheable, except 206: parts are not stored.
        static func isHeuristicallyCacheable(_ status: Int) -> Bool {
            switch status {
            case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
            default: false
            }
        }

        /// The statuses whose caching the cache understands (`must-understand`): those of RFC 9110 except the ones
        /// about parts and validation.
        static func isUnderstood(_ status: Int) -> Bool {
            switch status {
            case 200...205, 300...303, 305, 307, 308, 400...417, 421, 422, 426, 500...505: true
            default: false
            }
        }

        /// Returns the reason why a response to a GET request may not be stored; `nil` if it may be stored.
        static func refusal(request: HTTPFields, _ response: HTTPResponse) -> String? {
            let status = response.status.code
            let fields = response.headerFields
            let directives = ResponseDirectives(fields)
            guard 200...599 ~= status, status != 206 || PlantedBug.isActive(.storeParts), status != 304 else {
                return "the status can't be stored"
            }
            if RequestDirectives(request).isNoStore { return "the request says no-store" }
            if directives.mustUnderstand {
                // A cache that understands the status ignores no-store beside must-understand.
                guard isUnderstood(status) else { return "the status is not understood" }
            } else if directives.isNoStore, !PlantedBug.isActive(.storeSecrets) {
                return "the response says no-store"
            }
            if VaryNames(fields) == nil { return "Vary can't be matched" }
            let isExplicit =
                directives.isPublic || directives.isPrivate || directives.maxAge != nil || fields.contains(.expires)
            guard isExplicit || isHeuristicallyCacheable(status) else { return "nothing allows storing the status" }
            return nil
        }

        /// The maximum number of fields of a stored response, and of an update. `HTTPFields` traps at 65 535.
        static let fieldsMax = 1000
        private static let nameBytesMax = 1024

        /// Returns the limit of sizes that keeps a response from being stored; `nil` if it keeps to all limits.
        static func excess(of response: HTTPResponse, fieldBytesMax: Int, bodyBytesMax: Int) -> String? {
            let fields = response.headerFields
            guard fields.count <= fieldsMax, byteCount(fields) <= fieldBytesMax,
                fields.allSatisfy({ $0.name.rawName.utf8.count <= nameBytesMax })
            else { return "the fields are too large" }
            if fields.contains(.contentLength), DeltaSeconds.parse(fields[values: .contentLength].first ?? "") == nil {
                return "Content-Length is no number"
            }
            if let length = response.statedLength, length > bodyBytesMax { return "the body is too large" }
            return nil
        }

        /// Fields that belong to one connection, or to a proxy (RFC 9111, section 3.1).
        private static let connectionFields: Set<String> = [
            "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
            "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        ]

        /// Returns the fields of a response that are stored: without fields of the connection, and without those that
        /// `Connection` lists. `Date` is added if it is missing.
        static func storedFields(_ fields: HTTPFields, responseTime: Int64) -> HTTPFields {
            var excluded = connectionFields
            for line in fields[values: .connection] {
                for name in DirectiveList.elements(line) {
                    excluded.insert(String(decoding: name, as: UTF8.self).lowercased())
                }
            }
            var stored = HTTPFields()
            for field in fields where !excluded.contains(field.name.canonicalName) { stored.append(field) }
            if !stored.contains(.date) { stored[.date] = HTTPDate.text(responseTime) }
            return stored
        }

        /// The bytes that fields take: names and values.
        static func byteCount(_ fields: HTTPFields) -> Int {
            fields.reduce(0) { sum, field in
                unsafe sum + field.name.canonicalName.utf8.count + field.withUnsafeBytesOfValue { $0.count }
            }
        }
    }

    extension HTTPResponse {
        /// The length that the head states; `nil` without one, and for encoded content, which a transport may have
        /// decoded.
        var statedLength: Int? {
            guard status != .noContent, !headerFields.contains(.contentEncoding),
                let text = headerFields[values: .contentLength].first
            else { return nil }
            return Int(text)
        }
    }

    /// The names of request fields in a response's `Vary`: lower case, ascending, without repetitions.
    struct VaryNames: Hashable, Sendable {
        static let namesMax = 32
        static let nameBytesMax = 255

        let names: [String]

        /// `nil` if no request matches: for `*`, for a name that is no token, and above 32 names or 255 bytes of a
        /// name.
        init?(_ fields: HTTPFields) {
            var names: Set<String> = []
            for line in fields[values: .vary] {
                for element in DirectiveList.elements(line) {
                    guard let name = HTTPField.Name(String(decoding: element, as: UTF8.self)), name.rawName != "*"
                    else {
                        return nil
                    }
                    names.insert(name.canonicalName)
                }
            }
            self.init(names: names.sorted())
        }

        init?(names: [String]) {
            guard names.count <= VaryNames.namesMax, names.allSatisfy({ $0.utf8.count <= VaryNames.nameBytesMax })
            else {
                return nil
            }
            self.names = names
        }
    }
#endif
