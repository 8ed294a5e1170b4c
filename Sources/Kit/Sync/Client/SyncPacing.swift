package import ShalePlatform

/// The waits of a client. Injected, so that tests need no time.
package protocol SyncPacing: Sendable {
    /// Waits. Throws if the task is cancelled.
    func wait(milliseconds: Int64) async throws
}

/// Waits by the machine's clock.
package struct SystemPacing: SyncPacing {
    package init() {}

    package func wait(milliseconds: Int64) async throws { try await Task.sleep(for: .milliseconds(milliseconds)) }
}

/// Everything outside of the store that a client depends on.
package struct SyncEnvironment: Sendable {
    package var time: any TimeSource
    package var random: any RandomSource
    package var pacing: any SyncPacing

    package init(
        time: any TimeSource = SystemTime(), random: any RandomSource = SystemRandom(),
        pacing: any SyncPacing = SystemPacing()
    ) {
        self.time = time
        self.random = random
        self.pacing = pacing
    }
}
