import Hummingbird
import HummingbirdCore
import NIOCore
public import ServiceLifecycle
public import ShaleSyncServer

/// The server of a synchronisation over HTTP, as a service of a `ServiceGroup`.
///
/// ```swift
/// let store = try await StoreService.open(at: path, observation: StoreObservation(name: "sync"))
/// let service = SyncService(store.store, authenticator: try BearerTokens(path: tokens))
/// try await ServiceGroup(services: [store, service], logger: logger).run()
/// ```
/// It speaks plain HTTP/1.1: put a proxy that speaks TLS before it. On graceful shutdown it accepts no further
/// connection, answers the calls that it has, and ends.
public struct SyncService: Service {
    /// The description of the protocol: OpenAPI 3.1 as JSON. Served as `BASE/openapi.json`.
    public static var openAPI: [UInt8] { PackageResources.openapi_json }

    /// The rules. `removeUser(_:)` may be called while the service runs.
    public let server: SyncServer
    private let store: Store
    private let authenticator: any SyncAuthenticator
    private let options: SyncServiceOptions
    private let onRunning: @Sendable (Int) async -> Void

    /// Makes a service. It does nothing until ``run()``.
    ///
    /// - Parameters:
    ///   - store: The store, which stays open until the service has ended.
    ///   - authenticator: Tells the user of each call.
    ///   - rules: The rules of the server.
    ///   - options: Address and limits.
    ///   - onRunning: Receives the port once connections are accepted.
    public init(
        _ store: Store, authenticator: any SyncAuthenticator, rules: SyncServer.Options = SyncServer.Options(),
        options: SyncServiceOptions = SyncServiceOptions(),
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        self.store = store
        self.authenticator = authenticator
        self.options = options
        self.onRunning = onRunning
        server = SyncServer(store, options: rules)
    }

    /// Serves until the graceful shutdown or the cancellation of the task.
    ///
    /// - Throws: The error of binding the address.
    public func run() async throws {
        let (store, onRunning) = (store, onRunning)
        let responder = SyncResponder(
            server: server, authenticator: authenticator, options: options, isHealthy: { store.health.isGood },
            slots: CallSlots(limit: options.calls))
        let channel = HTTP1Channel.Configuration(
            idleTimeout: .seconds(Int64(options.idleSeconds)),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: options.headBytes, maxHeaderListSize: options.headBytes,
                maxHeaderFieldCount: options.headFields))
        let application = Application(
            responder: responder, server: .http1(configuration: channel),
            configuration: .init(
                address: .hostname(options.host, port: options.port),
                availableConnectionsDelegate: MaximumAvailableConnections(
                    options.connections, logger: options.logger)),
            services: [SyncUpkeep(server: server, seconds: options.upkeepSeconds, logger: options.logger)],
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) }, logger: options.logger)
        try await application.run()
    }
}
