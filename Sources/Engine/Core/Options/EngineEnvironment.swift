import ShaleBase
package import ShalePlatform

/// The environment of an engine, apart from its settings. Tests replace its parts.
package struct EngineEnvironment: Sendable {
    /// The way in which flushes and compactions are run.
    package enum Scheduling: Sendable {
        /// The engine's own threads run the work.
        case threads
        /// The thread whose write made the work necessary runs it at once. Every run of a script does the same
        /// operations in the same order.
        case inline
        /// No thread runs the work until a call needs its result (flush, close, manual compaction) or a test requests
        /// it. Memtables and logs accumulate as with slow threads.
        case deferred
    }

    package var fileSystem: any FileSystem
    package var random: any RandomSource
    package var scheduling: Scheduling
    package var forks = ForkWatch.shared
    /// Checks the namespaces of a store during opening, before anything is written. An error that it throws ends the
    /// opening and leaves every byte as it was. Not called for a new store.
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
