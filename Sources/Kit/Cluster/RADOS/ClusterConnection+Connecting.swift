#if RADOS
    import CRados
    import ShaleBase
    import ShalePlatform

    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif

    extension ClusterConnection {
        /// The settings of librados that follow from the connection.
        private var settings: [(name: String, value: String)] {
            let seconds = String(max(1, timeout.components.seconds))
            var settings = [
                ("rados_osd_op_timeout", seconds), ("rados_mon_op_timeout", seconds), ("client_mount_timeout", seconds),
            ]
            if let keyFile { settings.append(("keyring", keyFile)) }
            if !monitors.isEmpty { settings.append(("mon_host", monitors.joined(separator: ","))) }
            return settings
        }

        /// Connects. Blocks until the cluster has answered, at most for the timeout.
        func connect() throws(StorageError) -> RadosCluster {
            guard 1...65_536 ~= operationsInFlight else {
                throw .invalid("a cluster's operations in flight are not in 1...65536 count=\(operationsInFlight)")
            }
            var handle: rados_t?
            let created = unsafe rados_create2(&handle, "ceph", "client.\(user)", 0)
            guard created == 0, let handle = unsafe handle else {
                throw StorageError(
                    .ioFailure, "librados could not start", cause: IOFailure("rados_create", "", -created))
            }
            let cluster = unsafe RadosCluster(handle)
            try unsafe configure(handle)
            let status = unsafe rados_connect(handle)
            guard status == 0 else { throw ClusterConnection.failure(of: -status) }
            cluster.isConnected = true
            cluster.poolID = unsafe rados_pool_lookup(handle, pool)
            guard cluster.poolID >= 0 else {
                throw StorageError(.missing, "the cluster has no such pool pool=\(pool)")
            }
            return cluster
        }

        private func configure(_ handle: rados_t) throws(StorageError) {
            var status = unsafe rados_conf_read_file(handle, configuration)
            // Without a path, a missing file means settings from elsewhere.
            if status != 0, configuration == nil, !monitors.isEmpty { status = 0 }
            guard status == 0 else {
                throw StorageError(
                    .missing, "Ceph's configuration can't be read",
                    cause: IOFailure("rados_conf_read_file", configuration ?? "", -status))
            }
            for (name, value) in settings {
                let status = unsafe rados_conf_set(handle, name, value)
                guard status == 0 else {
                    throw StorageError(
                        .invalidArgument, "librados refuses a setting name=\(name)",
                        cause: IOFailure("rados_conf_set", name, -status))
                }
            }
        }

        private static func failure(of number: Int32) -> StorageError {
            let cause = IOFailure("rados_connect", "", number)
            return switch number {
            case ENOENT: StorageError(.missingKey, "the keyring of the cluster's client can't be read", cause: cause)
            case EPERM, EACCES:
                StorageError(.locked, "the cluster does not accept the client's name and key", cause: cause)
            case ETIMEDOUT: StorageError(.unavailable, "no monitor of the cluster answered in time", cause: cause)
            default: StorageError(.unavailable, "the cluster can't be reached errno=\(number)", cause: cause)
            }
        }
    }

    extension ClusterStore {
        /// Connects to a cluster.
        ///
        /// - Throws: `.missing` (no configuration file or no such pool), `.missingKey` (no keyring), `.locked` (the
        ///   cluster does not accept the key), `.unavailable` (no answer in time), `.invalidArgument`.
        public nonisolated(nonsending) static func open(
            _ connection: ClusterConnection, options: Options = .init()
        ) async throws(StorageError) -> ClusterStore {
            let cluster = try await BlockingWork.run { (_) throws(StorageError) in try connection.connect() }
            let pool = RadosPool(cluster, operationsInFlight: connection.operationsInFlight)
            return try ClusterStore(pool, options: options)
        }
    }
#endif
