import Foundation
import Logging
import ServiceLifecycle
import SessionServer
import ShaleObservability
import Synchronization

/// A clock that the test sets.
final class TestTime: TimeSource {
    private let milliseconds = Atomic<Int64>(1_800_000_000_000)

    var wallMilliseconds: Int64 { milliseconds.load(ordering: .acquiring) }
    var monotonicNanoseconds: UInt64 { UInt64(wallMilliseconds) * 1_000_000 }

    func advance(seconds: Int64) { milliseconds.add(seconds * 1000, ordering: .acquiringAndReleasing) }
}

/// Runs a server in this process, with a store of its own, while `body` runs.
func withServer(
    lifetime: Duration = .seconds(60), _ body: (Client, TestTime) async throws -> Void
) async throws {
    let place = Place()
    let time = TestTime()
    var options = Store.Options()
    options.engine.time = time
    let registry = PrometheusRegistry()
    var observation = StoreObservation(name: "sessions")
    observation.metricsFactory = registry
    let store = try await StoreService.open(at: place.path, options: options, observation: observation)
    let (ports, port) = AsyncStream<Int>.makeStream()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let server = SessionServer(
        Sessions(store.observed, lifetime: lifetime), registry, port: 0, logger: logger
    ) { port.yield($0) }
    let group = ServiceGroup(services: [store, server], logger: logger)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask {
            defer { port.finish() }
            try await group.run()
        }
        for await port in ports {
            do { try await body(Client(port: port), time) } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            break
        }
        try await tasks.waitForAll()
    }
    withExtendedLifetime(place) {}
}
