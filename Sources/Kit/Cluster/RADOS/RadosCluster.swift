#if RADOS
    import CRados
    import ShaleBase
    import ShalePlatform

    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif

    /// A handle of librados. Its end shuts the connection down, which blocks, so the last reference is released on a
    /// thread that may: see ``RadosPool/close()``.
    @safe
    final class RadosCluster: @unchecked Sendable {
        // Written before the object is shared.
        let handle: rados_t
        var isConnected = false
        var poolID: Int64 = -1
        let shutdown = RadosShutdown()

        init(_ handle: rados_t) { unsafe self.handle = handle }

        deinit {
            unsafe rados_shutdown(handle)
            shutdown.end()
        }
    }

    /// Tells when the threads of a connection have ended. Thread-safe.
    final class RadosShutdown: Sendable {
        private struct State: Sendable {
            var hasEnded = false
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Locked(State())

        /// Returns when the connection has been shut down. The caller must not hold a reference to it.
        nonisolated(nonsending) func wait() async {
            await withCheckedContinuation { continuation in
                let hasEnded = state.withLock { state in
                    if !state.hasEnded { state.waiting.append(continuation) }
                    return state.hasEnded
                }
                if hasEnded { continuation.resume() }
            }
        }

        fileprivate func end() {
            let waiting = state.withLock { state in
                state.hasEnded = true
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    /// A namespace of a pool. Thread-safe, because librados is.
    @safe
    final class RadosContext: @unchecked Sendable {
        let handle: rados_ioctx_t
        /// The cluster must outlive its contexts.
        let cluster: RadosCluster

        /// Makes a context. Its writes give a snapshot the objects as they were before, and its reads are of a
        /// snapshot.
        init(
            _ cluster: RadosCluster, namespace: String, writeTo: UInt64?, readFrom: UInt64?
        ) throws(PoolFailure) {
            var handle: rados_ioctx_t?
            let status = unsafe rados_ioctx_create2(cluster.handle, cluster.poolID, &handle)
            guard status == 0, let handle = unsafe handle else { throw PoolFailure(write: -status) }
            unsafe rados_ioctx_set_namespace(handle, namespace)
            if let readFrom { unsafe rados_ioctx_snap_set_read(handle, readFrom) }
            if let writeTo {
                var snapshots = [writeTo]
                _ = unsafe rados_ioctx_selfmanaged_snap_set_write_ctx(handle, writeTo, &snapshots, 1)
            }
            unsafe self.handle = handle
            self.cluster = cluster
        }

        deinit { unsafe rados_ioctx_destroy(handle) }
    }

    extension PoolFailure {
        /// The failure of a write, or of a function of the connection, with a number of the system.
        init(write number: Int32) {
            switch number {
            case ENOENT: self.init(.missing)
            case EEXIST: self.init(.exists)
            case ECANCELED: self.init(.differs)
            case ETIMEDOUT: self.init(.timedOut)
            case ENOSPC, EDQUOT: self.init(.full)
            case EPERM, EACCES: self.init(.forbidden)
            default: self.init(.other(number))
            }
        }

        /// The failure of a read. librados reports a cancelled one as a comparison that failed.
        init(read number: Int32, isCancelled: Bool) {
            if number == ECANCELED, isCancelled { self.init(.cancelled) } else { self.init(write: number) }
        }
    }
#endif
