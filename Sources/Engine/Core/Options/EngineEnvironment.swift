import ShaleBase
package import ShalePlatform

/// What an engine runs on, apart from its settings: replaced by tests.
package struct EngineEnvironment: Sendable {
    /// Who runs flushes and compactions.
    package enum Scheduling: Sendable {
        /// Threads of the engine's own.
        case threads
        /// The thread whose write made the work necessary, at once: every run of a script does the same operations in
        /// the same order.
        case inline
        /// Nobody, until a call needs the result (flush, close, manual compaction) or a test asks for it: memtables and
        /// logs pile up as behind slow threads.
        case deferred
    }

    package var fileSystem: any FileSystem
    package var random: any RandomSource
    package var scheduling: Scheduling
    package var forks = ForkWatch.shared
    /// Looks at the namespaces of a store that is being opened, before anything is written: what it throws ends the
    /// opening and leaves every byte as it was. Not asked of a store that is just made.
    package var checkCatalogue: (@Sendable ([NamespaceDescription]) throws(StorageError) -> Void)?

    package init(
        fileSystem: any FileSystem = PosixFileSystem(), random: any RandomSource = SystemRandom(),
        scheduling: Scheduling = .threads
    ) {
        self.fileSystem = fileSystem
        self.random = random
        self.scheduling = scheduling
    }
}
