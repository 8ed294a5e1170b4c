import Hummingbird
import Logging
import ServiceLifecycle
import ShaleObservability
import Tracing

/// A server of sessions over HTTP:
///
/// | request | answer |
/// |---|---|
/// | `POST /sessions?user=ann` | 201 and the id of a new session |
/// | `GET /sessions/ID` | 200 and the session as JSON; counts a visit; 404 if there is none |
/// | `DELETE /sessions/ID` | 204 |
/// | `GET /metrics` | 200 and the metrics in the text format of Prometheus |
public struct SessionServer: Service {
    private let sessions: Sessions
    private let registry: PrometheusRegistry
    private let port: Int
    private let logger: Logger
    private let onRunning: @Sendable (Int) async -> Void

    /// Makes a server on 127.0.0.1.
    ///
    /// - Parameters:
    ///   - port: The port; 0 for any that is free.
    ///   - onRunning: Receives the port once the server accepts requests.
    public init(
        _ sessions: Sessions, _ registry: PrometheusRegistry, port: Int, logger: Logger,
        onRunning: @escaping @Sendable (Int) async -> Void
    ) {
        self.sessions = sessions
        self.registry = registry
        self.port = port
        self.logger = logger
        self.onRunning = onRunning
    }

    public func run() async throws {
        let onRunning = onRunning
        let application = Application(
            router: router(), configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) }, logger: logger)
        try await application.run()
    }

    private func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: TracingMiddleware())
        router.post("/sessions") { [sessions] request, _ -> EditedResponse<String> in
            guard let user = request.uri.queryParameters.get("user"), !user.isEmpty else {
                throw HTTPError(.badRequest, message: "the parameter `user` is missing")
            }
            return EditedResponse(status: .created, response: try await sessions.create(for: user))
        }
        router.get("/sessions/:id") { [sessions] _, context -> Session in
            guard let session = try await sessions.visit(try context.parameters.require("id")) else {
                throw HTTPError(.notFound)
            }
            return session
        }
        router.delete("/sessions/:id") { [sessions] _, context -> HTTPResponse.Status in
            try await sessions.end(try context.parameters.require("id"))
            return .noContent
        }
        router.get("/metrics") { [sessions, registry] _, _ -> Response in
            await sessions.observed.sample()
            return Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: registry.text)))
        }
        return router
    }
}

extension Session: ResponseEncodable {}

extension SessionServer {
    /// Runs the store in `directory` and a server of its sessions until the process gets SIGTERM or SIGINT. The store
    /// closes after the last request.
    public static func run(
        in directory: String, port: Int, logger: Logger, onRunning: @escaping @Sendable (Int) async -> Void
    ) async throws {
        let registry = PrometheusRegistry()
        var observation = StoreObservation(name: "sessions")
        observation.logger = logger
        observation.metricsFactory = registry
        // The tracer that the program has set up, if any. Spans of the store are children of those of requests.
        observation.tracer = InstrumentationSystem.tracer
        let store = try await StoreService.open(at: directory, observation: observation)
        let server = SessionServer(
            Sessions(store.observed), registry, port: port, logger: logger, onRunning: onRunning)
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: store), .init(service: server)],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }
}
