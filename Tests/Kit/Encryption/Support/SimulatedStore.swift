#if Encryption
    import ShaleEncryption
    import ShaleEngine
    import ShalePlatform
    import ShaleSimulation

    extension SimulatedFileSystem {
        /// Opens the store of this disk, or creates it. It has no threads and no timer, so its calls have one order.
        func openStore(_ encryption: StoreEncryption = .first) throws(StorageError) -> Store {
            var options = StoreOptions(encryption: encryption)
            options.engine.time = ManualTime()
            options.engine.syncInterval = nil
            return try Store(
                at: "/store", options: options, environment: EngineEnvironment(fileSystem: self, scheduling: .inline))
        }

        /// Opens the store with the one of the two master keys that fits.
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
