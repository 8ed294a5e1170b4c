#if HTTP
    public import HTTPTypes

    /// The place where keys of endpoints are declared: static constants in an extension. See ``EndpointKey``.
    public class Endpoints: @unchecked Sendable {
        // Has no state, and ``EndpointKey`` has only constants.
        fileprivate init() {}
    }

    /// The name of an endpoint, with the types of its parameters and of its result.
    ///
    /// ```swift
    /// extension Endpoints {
    ///     static let order = EndpointKey<OrderQuery, Order>("order")
    /// }
    /// ```
    /// `EndpointKey` inherits from ``Endpoints``, so functions that take a key find the constants as `.order`.
    public final class EndpointKey<Parameters: Sendable, Output: Sendable>: Endpoints, @unchecked Sendable {
        /// The name in the registry.
        public let name: String

        /// Makes a key. Keys of equal names are one endpoint.
        public init(_ name: String) {
            self.name = name
            super.init()
        }
    }

    /// A parameter of an endpoint's URL template: the name in the template, and the property that has its value.
    public struct EndpointParameter<Parameters: Sendable>: Sendable {
        /// The name in the template.
        public let name: String
        let texts: @Sendable (Parameters) -> [String]

        /// Describes a parameter. An undefined value, `nil` or an empty array, is left out of a query, and is an error
        /// in a path.
        public init<Value: TemplateValue>(_ name: String, _ path: any KeyPath<Parameters, Value> & Sendable) {
            self.name = name
            texts = { $0[keyPath: path].templateTexts }
        }
    }

    /// A request that a server answers: method, URL template with typed parameters, fields, coding and cache policy.
    ///
    /// ```swift
    /// let order = Endpoint<OrderQuery, Order>(
    ///     .get, "/orders/{id}{?fields}",
    ///     parameters: [EndpointParameter("id", \.id), EndpointParameter("fields", \.fields)], response: .json)
    /// ```
    public struct Endpoint<Parameters: Sendable, Output: Sendable>: Sendable {
        /// The method of the requests.
        public var method: HTTPRequest.Method
        /// Path and query, with expressions in braces.
        public var template: String
        /// The parameters of the template: one for each variable.
        public var parameters: [EndpointParameter<Parameters>]
        /// Fields of every request. They replace those of the environment.
        public var headerFields: HTTPFields
        /// The content of the requests.
        public var request: RequestContent<Parameters>
        /// The decoding of the responses.
        public var response: ResponseContent<Output>
        /// Which stored responses the endpoint accepts, unless a call says otherwise; `nil` leaves that to
        /// ``headerFields``.
        public var directives: RequestDirectives?
        /// The maximum size of a response's body.
        public var bodyBytesMax: Int

        /// Describes an endpoint.
        ///
        /// - Parameters:
        ///   - method: The method of the requests.
        ///   - template: Path and query: `{name}` in the path, `{?a,b}` and `{&a,b}` for the query, `*` after a name
        ///     for one pair for each text of an array. Values are percent-encoded.
        ///   - parameters: One for each variable of the template.
        ///   - headerFields: Fields of every request. They replace those of the environment.
        ///   - request: The content of the requests. Default none.
        ///   - response: The decoding of the responses.
        ///   - directives: Which stored responses are accepted; `nil` leaves that to `headerFields`.
        ///   - bodyBytesMax: The maximum size of a response's body. Default 32 MiB.
        public init(
            _ method: HTTPRequest.Method, _ template: String, parameters: [EndpointParameter<Parameters>] = [],
            headerFields: HTTPFields = [:], request: RequestContent<Parameters> = .none,
            response: ResponseContent<Output>, directives: RequestDirectives? = nil, bodyBytesMax: Int = 32 << 20
        ) {
            self.method = method
            self.template = template
            self.parameters = parameters
            self.headerFields = headerFields
            self.request = request
            self.response = response
            self.directives = directives
            self.bodyBytesMax = bodyBytesMax
        }
    }

    /// A server that has the endpoints of a registry: a base URL and fields of every request.
    public struct EndpointEnvironment: Sendable, Hashable {
        /// An absolute URL with the scheme http or https. Paths of templates are appended.
        public var baseURL: String
        /// Fields of every request to the server.
        public var headerFields: HTTPFields

        /// Describes a server.
        public init(baseURL: String, headerFields: HTTPFields = [:]) {
            self.baseURL = baseURL
            self.headerFields = headerFields
        }
    }
#endif
