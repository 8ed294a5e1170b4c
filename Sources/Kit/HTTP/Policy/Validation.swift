#if HTTP
    import HTTPTypes
    import ShaleBase

    /// Validates stored responses (RFC 9111, sections 3.2 and 4.3).
    enum Validation {
        /// True if a response has a validator.
        static func hasValidator(_ fields: HTTPFields) -> Bool {
            fields.contains(.eTag) || fields.contains(.lastModified)
        }

        /// Returns the fields of a request that validates a stored response; the request itself if it has no validator.
        static func conditional(_ request: HTTPFields, for stored: HTTPFields) -> HTTPFields {
            var fields = request
            if let tag = stored[values: .eTag].first { fields[.ifNoneMatch] = tag }
            if let date = stored[values: .lastModified].first { fields[.ifModifiedSince] = date }
            return fields
        }

        /// The fields by which a client evaluates the origin's state itself. The cache sends such requests on.
        static func isConditional(_ request: HTTPFields) -> Bool {
            request.contains(.ifNoneMatch) || request.contains(.ifModifiedSince) || request.contains(.ifMatch)
                || request.contains(.ifUnmodifiedSince) || request.contains(.ifRange)
        }

        /// True if a 304 response confirms the stored response whose validators were sent.
        ///
        /// A strong validator of the 304 must be the stored one. A weak entity tag is compared weakly. Without an
        /// entity tag in the 304, its `Last-Modified` must be the stored one, and without any validator the 304
        /// confirms the only response that the request named.
        static func confirms(_ update: HTTPFields, _ stored: HTTPFields) -> Bool {
            if PlantedBug.isActive(.confirmAnything) { return true }
            if let tag = update[values: .eTag].first {
                guard let known = stored[values: .eTag].first else { return false }
                return isWeak(tag) ? opaque(tag) == opaque(known) : tag == known
            }
            if let date = update[values: .lastModified].first, let known = stored[values: .lastModified].first {
                return date == known
            }
            return true
        }

        /// True if the head of a full response says that its content is the stored one (RFC 9111, section 4.3.5).
        static func describes(_ head: HTTPFields, _ stored: HTTPFields) -> Bool {
            for name in [HTTPField.Name.eTag, .lastModified, .contentLength] {
                guard let value = head[values: name].first else { continue }
                if value != stored[values: name].first { return false }
            }
            return true
        }

        private static func isWeak(_ tag: String) -> Bool { tag.utf8.starts(with: "W/".utf8) }

        private static func opaque(_ tag: String) -> Substring { isWeak(tag) ? tag.dropFirst(2) : tag[...] }

        /// Fields of the stored content. The stored body stays as it is, so these stay too.
        private static let contentFields: Set<String> = ["content-encoding", "content-length", "content-range"]

        /// Returns the stored fields after a validation: each field of the update replaces the stored lines of its
        /// name. `nil` if the update has too many fields.
        static func merged(_ stored: HTTPFields, with update: HTTPFields, responseTime: Int64) -> HTTPFields? {
            guard update.count <= Storability.fieldsMax else { return nil }
            var update = Storability.storedFields(update, responseTime: responseTime)
            update.removeAll { contentFields.contains($0.name.canonicalName) }
            let replaced = Set(update.map(\.name.canonicalName))
            var fields = stored
            // The stored Age belongs to the stored Date.
            fields.removeAll { replaced.contains($0.name.canonicalName) || $0.name == .age }
            fields.append(contentsOf: update)
            return fields
        }
    }
#endif
