#if HTTP
    public import HTTPTypes
    public import ShaleBase
    import ShalePlatform

    /// The endpoints of a service, called through a cache.
    ///
    /// ```swift
    /// let api = try EndpointRegistry(
    ///     cache: cache, environments: ["production": EndpointEnvironment(baseURL: "https://api.example.org/v1")],
    ///     current: "production")
    /// try api.register(order, as: .order)
    /// let answer = try await api.call(.order, OrderQuery(id: 7, fields: ["total"]))
    /// ```
    /// All functions may be called from any thread.
    public final class EndpointRegistry: Sendable {
        private struct State: Sendable {
            var endpoints: [String: any Sendable] = [:]
            var current: String
        }

        /// An endpoint with its template parsed.
        private struct Prepared<Parameters: Sendable, Output: Sendable>: Sendable {
            let endpoint: Endpoint<Parameters, Output>
            let template: URLTemplate
            let texts: [String: @Sendable (Parameters) -> [String]]
        }

        private struct Server: Sendable {
            let target: RequestTarget
            let headerFields: HTTPFields
        }

        /// The cache that sends the requests.
        public let cache: HTTPCache
        private let servers: [String: Server]
        private let state: Locked<State>

        /// Makes a registry without endpoints.
        ///
        /// - Parameters:
        ///   - cache: The cache that sends the requests.
        ///   - environments: The servers, by name.
        ///   - current: The name of the one to use.
        /// - Throws: `.unknownEndpoint` if `current` is no name; `.invalidEndpoint` for a base URL that is not
        ///   absolute, or has a query.
        public init(
            cache: HTTPCache, environments: [String: EndpointEnvironment], current: String
        ) throws(HTTPCacheError) {
            self.cache = cache
            var servers: [String: Server] = [:]
            for (name, environment) in environments {
                guard let target = RequestTarget(url: environment.baseURL), !target.path.contains("?") else {
                    throw HTTPCacheError(.invalidEndpoint, "the base URL of \(name) is not absolute, or has a query")
                }
                servers[name] = Server(target: target, headerFields: environment.headerFields)
            }
            guard servers[current] != nil else { throw HTTPCacheError(.unknownEndpoint, "no environment \(current)") }
            self.servers = servers
            state = Locked(State(current: current))
        }

        /// The name of the environment in use.
        public var currentEnvironment: String { state.withLock { $0.current } }

        /// Uses another environment for the requests that are made from now on.
        ///
        /// Responses are stored by absolute URL, so those of one server are never used for another.
        ///
        /// - Throws: `.unknownEndpoint` if there is none of this name.
        public func use(environment name: String) throws(HTTPCacheError) {
            guard servers[name] != nil else { throw HTTPCacheError(.unknownEndpoint, "no environment \(name)") }
            state.withLock { $0.current = name }
        }

        /// Adds an endpoint.
        ///
        /// - Throws: `.invalidEndpoint` if the template is not valid, if a variable of the template has no parameter or
        ///   a parameter no variable, or if the key's name is in use.
        public func register<Parameters, Output>(
            _ endpoint: Endpoint<Parameters, Output>, as key: EndpointKey<Parameters, Output>
        ) throws(HTTPCacheError) {
            let template = try URLTemplate(endpoint.template)
            guard template.names == Set(endpoint.parameters.map(\.name)),
                template.names.count == endpoint.parameters.count
            else {
                throw HTTPCacheError(.invalidEndpoint, "the parameters of \(key.name) are not those of its template")
            }
            let texts = Dictionary(uniqueKeysWithValues: endpoint.parameters.map { ($0.name, $0.texts) })
            let prepared = Prepared(endpoint: endpoint, template: template, texts: texts)
            let isNew = state.withLock { state in
                guard state.endpoints[key.name] == nil else { return false }
                state.endpoints[key.name] = prepared
                return true
            }
            guard isNew else { throw HTTPCacheError(.invalidEndpoint, "an endpoint \(key.name) is registered") }
        }

        /// Returns the request and its content for a call, without sending it.
        ///
        /// - Throws: `.unknownEndpoint`; `.invalidRequest` for a parameter that the path can't have; `.codecFailure`.
        public func request<Parameters, Output>(
            _ key: EndpointKey<Parameters, Output>, _ parameters: Parameters
        ) throws(HTTPCacheError) -> (request: HTTPRequest, body: [UInt8]) {
            let (prepared, server) = try prepared(key)
            return try request(prepared, server, parameters)
        }

        /// Calls an endpoint and decodes the response.
        ///
        /// - Parameters:
        ///   - key: The key of a registered endpoint.
        ///   - parameters: The values of the template and of the content.
        ///   - directives: Which stored responses are accepted; `nil` for those of the endpoint.
        /// - Throws: `.status` for a status other than 2xx; `.codecFailure` for a body that can't be decoded;
        ///   `.bodyTooLarge`; the errors of ``request(_:_:)`` and of ``HTTPCache/response(for:body:directives:)``.
        public nonisolated(nonsending) func call<Parameters, Output>(
            _ key: EndpointKey<Parameters, Output>, _ parameters: Parameters, directives: RequestDirectives? = nil
        ) async throws(HTTPCacheError) -> EndpointAnswer<Output> {
            let (prepared, server) = try prepared(key)
            let endpoint = prepared.endpoint
            let (request, body) = try request(prepared, server, parameters)
            let answer = try await cache.response(
                for: request, body: body, directives: directives ?? endpoint.directives)
            let status = answer.head.status
            guard status.kind == .successful else {
                let start = try await answer.body.collected(upTo: EndpointRegistry.errorBytesMax).bytes
                throw HTTPCacheError(
                    .status, "\(key.name) answered with status \(status.code)", response: answer.head,
                    body: Array(start.prefix(EndpointRegistry.errorBytesMax)))
            }
            let content = try await answer.body.bytes(upTo: endpoint.bodyBytesMax)
            do {
                return EndpointAnswer(value: try endpoint.response.decode(content, answer.head), answer: answer)
            } catch {
                throw HTTPCacheError(
                    .codecFailure, "the response of \(key.name) can't be decoded", cause: error, response: answer.head,
                    body: Array(content.prefix(EndpointRegistry.errorBytesMax)))
            }
        }

        private static let errorBytesMax = 64 << 10

        private func prepared<Parameters, Output>(
            _ key: EndpointKey<Parameters, Output>
        ) throws(HTTPCacheError) -> (Prepared<Parameters, Output>, Server) {
            let (found, current) = state.withLock { ($0.endpoints[key.name], $0.current) }
            guard let prepared = found as? Prepared<Parameters, Output>, let server = servers[current] else {
                throw HTTPCacheError(.unknownEndpoint, "no endpoint \(key.name) with these types is registered")
            }
            return (prepared, server)
        }

        private func request<Parameters, Output>(
            _ prepared: Prepared<Parameters, Output>, _ server: Server, _ parameters: Parameters
        ) throws(HTTPCacheError) -> (request: HTTPRequest, body: [UInt8]) {
            let endpoint = prepared.endpoint
            let path = try prepared.template.expanded { prepared.texts[$0]?(parameters) ?? [] }
            let base = server.target.path.hasSuffix("/") ? String(server.target.path.dropLast()) : server.target.path
            var fields = server.headerFields
            for name in Set(endpoint.headerFields.map(\.name)) {
                fields[fields: name] = endpoint.headerFields[fields: name]
            }
            if let accept = endpoint.response.accept, !fields.contains(.accept) { fields[.accept] = accept }
            if let type = endpoint.request.contentType, !fields.contains(.contentType) { fields[.contentType] = type }
            let body: [UInt8]
            do {
                body = try endpoint.request.encode(parameters)
            } catch {
                throw HTTPCacheError(.codecFailure, "the content of a request can't be encoded", cause: error)
            }
            let request = HTTPRequest(
                method: endpoint.method, scheme: server.target.scheme, authority: server.target.authority,
                path: base + path, headerFields: fields)
            return (request, body)
        }
    }

    /// The decoded response of an endpoint, and how the cache got it.
    public struct EndpointAnswer<Output: Sendable>: Sendable {
        /// The decoded body.
        public let value: Output
        /// The status and the fields.
        public let head: HTTPResponse
        /// The handling of the request by the cache.
        public let cacheStatus: CacheStatus
        /// See ``HTTPAnswer/isStale``.
        public let isStale: Bool
        /// See ``HTTPAnswer/isOffline``.
        public let isOffline: Bool
        /// See ``HTTPAnswer/storageError``.
        public let storageError: StorageError?

        init(value: Output, answer: HTTPAnswer) {
            self.value = value
            head = answer.head
            cacheStatus = answer.cacheStatus
            isStale = answer.isStale
            isOffline = answer.isOffline
            storageError = answer.storageError
        }
    }
#endif
