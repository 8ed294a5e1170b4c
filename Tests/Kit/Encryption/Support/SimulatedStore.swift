#if Encryption
    import ShaleEncryption
    import ShaleEngine
    import ShalePlatform
    import ShaleSimulation

    extension SimulatedFileSystem {
        /// The store of this disk, made if there is none. It has no threads and no timer: its calls come in one order.
        func openStore(_ encryption: StoreEncryption = .first) throws(StorageError) -> Store {
            var options = StoreOptions(encryption: encryption)
            options.engine.time = ManualTime()
            options.engine.syncInterval = nil
            return try Store(
                at: "/store", options: options, environment: EngineEnvironment(fileSystem: self, scheduling: .inline))
        }

        /// The same with the one of the two master keys that opens it.
        func openStoreWithEither() throws(StorageError) -> (store: Store, isSecond: Bool) {
            do {
                return (try openStore(.first), false)
            } catch {
                guard error.code == .wrongKey else { throw error }
                return (try openStore(.second), true)
            }
        }
    }
#endif
