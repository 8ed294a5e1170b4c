#if HTTP
    import HTTPTypes

    /// The directives of a response's `Cache-Control` that matter to a private cache (RFC 9111, section 5.2.2; RFC
    /// 5861; RFC 8246). Directives for shared caches are ignored.
    struct ResponseDirectives: Equatable {
        /// In seconds. 0 if the argument is no number, or if the directive occurs with two different arguments.
        var maxAge: Int64?
        /// In seconds; `nil` if the argument is no number.
        var staleWhileRevalidate: Int64?
        var staleIfError: Int64?
        var isNoStore = false
        /// True also for a directive that names fields: a cache may validate more than it must.
        var isNoCache = false
        var mustRevalidate = false
        var mustUnderstand = false
        var isPublic = false
        /// True also for a directive that names fields, which matters to shared caches only.
        var isPrivate = false
        var isImmutable = false

        init(_ fields: HTTPFields) {
            for directive in DirectiveList.parse(fields[values: .cacheControl]) { take(directive) }
        }

        private mutating func take(_ directive: Directive) {
            switch directive.name {
            case "max-age":
                let seconds = directive.argument.flatMap { DeltaSeconds.parse($0) } ?? 0
                // Contradictory freshness counts as none.
                maxAge = maxAge == nil || maxAge == seconds ? seconds : 0
            case "stale-while-revalidate": staleWhileRevalidate = directive.argument.flatMap { DeltaSeconds.parse($0) }
            case "stale-if-error": staleIfError = directive.argument.flatMap { DeltaSeconds.parse($0) }
            case "no-store": isNoStore = true
            case "no-cache": isNoCache = true
            case "must-revalidate": mustRevalidate = true
            case "must-understand": mustUnderstand = true
            case "public": isPublic = true
            case "private": isPrivate = true
            case "immutable": isImmutable = true
            default: break
            }
        }
    }
#endif
