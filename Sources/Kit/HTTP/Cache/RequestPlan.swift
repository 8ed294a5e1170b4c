#if HTTP
    import HTTPTypes
    import ShaleBase

    /// The handling of a request.
    enum RequestKind: Equatable {
        /// Stored responses may answer it, and its response may be stored.
        case cached
        /// Sent on, with stored responses untouched.
        case bypass(CacheStatus.Forward)
        /// Sent on; success invalidates stored responses.
        case unsafe

        init(_ request: HTTPRequest, hasBody: Bool, _ directives: RequestDirectives, _ target: RequestTarget) {
            switch request.method {
            case .get, .head:
                let fields = request.headerFields
                let isBypassed =
                    hasBody || directives.isNoStore || fields.contains(.range) || Validation.isConditional(fields)
                    || target.byteCount > RequestTarget.byteCountMax
                self = isBypassed ? .bypass(.bypass) : .cached
            case .options, .trace: self = .bypass(.method)
            default: self = .unsafe
            }
        }
    }

    /// A request that stored responses don't answer alone.
    struct RequestPlan: Sendable {
        let request: HTTPRequest
        let url: HashedURL
        let directives: RequestDirectives
        /// The reason why the request is sent on.
        let forward: CacheStatus.Forward
        /// The stored response that the request selects. It is in memory, so a purge does not disturb its validation.
        let selected: SelectedResponse?
        var storageError: StorageError?

        init(
            _ request: HTTPRequest, _ url: HashedURL, _ directives: RequestDirectives, _ forward: CacheStatus.Forward,
            _ selected: SelectedResponse? = nil
        ) {
            self.request = request
            self.url = url
            self.directives = directives
            self.forward = forward
            self.selected = selected
        }
    }

    /// The origin's response to a plan.
    struct FetchedResponse: Sendable {
        var head: HTTPResponse
        var body: HTTPBody
        var status: CacheStatus
        /// The response as it was stored or validated.
        var stored: StoredResponse?
        var storageError: StorageError?
    }
#endif
