import Logging
import ServiceLifecycle
import ShaleSyncServer

/// Removes what is outdated, at its start and at an interval.
struct SyncUpkeep: Service {
    let server: SyncServer
    let seconds: Int
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat {
                await self.removeOutdated()
                do { try await Task.sleep(for: .seconds(self.seconds)) } catch { return }
            } while !Task.isCancelled
        }
    }

    private func removeOutdated() async {
        do throws(StorageError) {
            let removed = try await server.removeOutdated()
            logger.info(
                "upkeep",
                metadata: [
                    "tombstones": "\(removed.tombstones)", "clients": "\(removed.clients)", "users": "\(removed.users)",
                ])
        } catch {
            guard error.code != .cancelled else { return }
            // The next one tries again.
            logger.error("the upkeep failed", metadata: ["error": "\(error)"])
        }
    }
}
