import Logging
import ServiceLifecycle
import ShaleObservability
public import ShaleSyncServer
import UnixSignals

/// A process that does nothing but serve.
extension SyncService {
    /// Opens the store in a directory, serves it until the process gets SIGTERM or SIGINT, and closes the store after
    /// the last call. SIGHUP reads the tokens again.
    ///
    /// - Parameters:
    ///   - directory: The directory of the store, which is made if there is none.
    ///   - tokens: The tokens of the users.
    ///   - rules: The rules of the server.
    ///   - options: Address and limits.
    ///   - onRunning: Receives the port once connections are accepted.
    /// - Throws: The errors of opening and closing the store. The error of binding the address.
    public static func run(
        _ directory: String, tokens: BearerTokens, rules: SyncServer.Options = SyncServer.Options(),
        options: SyncServiceOptions, onRunning: @escaping @Sendable (Int) async -> Void
    ) async throws {
        var observation = StoreObservation(name: "sync")
        observation.logger = options.logger
        let store = try await StoreService.open(at: directory, observation: observation)
        let service = SyncService(
            store.store, authenticator: tokens, rules: rules, options: options, onRunning: onRunning)
        var configuration = ServiceGroupConfiguration(
            services: [
                .init(service: store), .init(service: TokenReload(tokens: tokens, logger: options.logger)),
                .init(service: service),
            ],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: options.logger)
        // No call lasts longer than its limit.
        configuration.maximumGracefulShutdownDuration = .seconds(options.callSeconds + 5)
        try await ServiceGroup(configuration: configuration).run()
    }
}

/// Reads the tokens again on SIGHUP.
private struct TokenReload: Service {
    let tokens: BearerTokens
    let logger: Logger

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            do throws(BearerTokensError) {
                let count = try tokens.reload()
                logger.info("tokens read again", metadata: ["count": "\(count)"])
            } catch {
                logger.error("the tokens stay as they were", metadata: ["error": "\(error)"])
            }
        }
    }
}
