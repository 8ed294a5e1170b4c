public import ShaleBase
import ShaleManifest
import Synchronization

extension Engine {
    /// Ends this engine so that another process may open the store, and returns what opens it again.
    ///
    /// ```swift
    /// let suspended = try engine.suspend()
    /// // The system suspends the process.
    /// engine = try suspended.resume()
    /// ```
    ///
    /// Like ``close()`` it makes everything durable and stops all background work; a concurrent write is made durable
    /// or throws `.closed`. On return the process holds no lock on a file of the store, also if the call throws
    /// (except for `.invalidArgument`). Files and mappings are released, apart from those that a cursor uses: they go
    /// with the cursor. The descriptors of the directories go with the last reference to this engine.
    ///
    /// Everything that was taken from this engine ends: calls on it, its cursors, snapshots, transactions and change
    /// logs throw `.closed`, and subscriptions end after the changes that wait in them.
    ///
    /// - Throws: `.closed` if the engine is closed, and the errors of ``close()``.
    public func suspend() throws(StorageError) -> Suspended {
        guard !core.gate.isClosed else { throw EngineCore.closedError }
        try core.close(releasingFiles: true)
        return Suspended(core)
    }

    /// A store that was suspended in this process. See ``Engine/suspend()``.
    public struct Suspended: Sendable {
        private let path: String
        private let options: Options
        package let environment: EngineEnvironment
        private let storeID: StoreID?
        /// The last sequence of the store when it was suspended.
        public let lastSequence: SequenceNumber

        init(_ core: EngineCore) {
            path = core.directories.root.path
            options = core.options
            environment = core.environment
            storeID = core.manifest?.storeID ?? core.followed?.identity.storeID
            lastSequence = core.committer.visible.load(ordering: .acquiring)
        }

        /// Opens the store again, with everything that other processes have written meanwhile.
        ///
        /// A store that is missing now is not created. After an error it can be tried again.
        ///
        /// - Throws: `.locked`, with the process in the message, while another one has the store open; `.outdated` if
        ///   the directory holds another store now, or an older state of this one; and the errors of opening.
        public func resume() throws(StorageError) -> Engine {
            var opening = options
            if opening.mode == .createIfMissing { opening.mode = .openExisting }
            let opened = try StoreOpener(path: path, options: opening, environment: environment).open()
            let engine = try Engine.start(opened, options, environment)
            do throws(StorageError) {
                try requireSuccessor(engine)
                return engine
            } catch {
                try engine.close()
                throw error
            }
        }

        /// Throws `.outdated` unless `engine` shows the suspended store, in the same or a later state.
        package func requireSuccessor(_ engine: Engine) throws(StorageError) {
            if PlantedBug.isActive(.resumeAnything) { return }
            let found = engine.core.manifest?.storeID ?? engine.core.followed?.identity.storeID
            guard found == storeID else {
                throw StorageError(.outdated, "the directory holds another store now", file: StoreLayout.current)
            }
            guard engine.core.committer.visible.load(ordering: .acquiring) >= lastSequence else {
                throw StorageError(
                    .outdated, "the store is older than when it was suspended: open it again",
                    file: StoreLayout.current)
            }
        }
    }
}
