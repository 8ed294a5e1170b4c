#if RADOS
    import CRados
    import ShaleBase
    import ShalePlatform

    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif

    /// A pool of a cluster, over librados.
    ///
    /// No call blocks its thread: operations are sent to librados, whose own threads send and receive. Its callback
    /// resumes the task. Thread-safe.
    final class RadosPool: ObjectPool {
        private struct State: Sendable {
            /// `nil` once the pool is closed.
            var cluster: RadosCluster?
            var contexts: [ContextKey: RadosContext] = [:]
            /// The context that was used last, which is most often the next one too: names are equal without being
            /// compared.
            var last: (key: ContextKey, context: RadosContext)?
            var watches: [RadosWatch] = []
        }

        /// A namespace, and the snapshot that its operations concern.
        private struct ContextKey: Hashable, Sendable {
            let namespace: String
            var writeTo: UInt64?
            var readFrom: UInt64?
        }

        private static let notifyMilliseconds: UInt64 = 5_000

        /// The number of contexts that are kept. librados makes one in a microsecond.
        private static let contextsMax = 64

        /// The number of operations in flight from which on reads of an object are sent together. With fewer ones,
        /// waiting would make threads sleep that have to be woken again, which costs more than the operations saved.
        private static let sharingCount = 32

        private let slots: OperationSlots
        private let state: Locked<State>
        private let shutdown: RadosShutdown

        init(_ cluster: RadosCluster, operationsInFlight: Int) {
            shutdown = cluster.shutdown
            slots = OperationSlots(operationsInFlight)
            state = Locked(State(cluster: cluster))
        }

        nonisolated(nonsending) func write(_ object: ObjectName, _ change: ObjectChange) async throws(PoolFailure) {
            try await takeSlot()
            defer { slots.giveBack() }
            let context = try context(ContextKey(namespace: object.namespace, writeTo: change.snapshot))
            let operation = RadosWrite(change)
            let status = unsafe await RadosCall().send(context) { (completion) in
                unsafe operation.send(context, object.name, completion)
            }
            guard status >= 0 else { throw PoolFailure(write: -status) }
        }

        nonisolated(nonsending) func read(
            _ object: ObjectName, _ query: ObjectQuery
        ) async throws(PoolFailure) -> ObjectContents {
            try await takeSlot()
            defer { slots.giveBack() }
            let context = try context(ContextKey(namespace: object.namespace, readFrom: query.snapshot))
            if let shared = query.shared, slots.inFlight >= RadosPool.sharingCount {
                return try await read(object, query, shared, context)
            }
            let operation = RadosRead(query)
            let call = RadosCall()
            let status = await withTaskCancellationHandler {
                unsafe await call.send(context) { (completion) in
                    unsafe operation.send(context, object.name, completion)
                }
            } onCancel: {
                call.cancel(context)
            }
            guard status >= 0 else { throw PoolFailure(read: -status, isCancelled: call.isCancelled) }
            return operation.contents()
        }

        /// Reads an entry together with others. What is called on a thread of librados has no reference to the context.
        private nonisolated(nonsending) func read(
            _ object: ObjectName, _ query: ObjectQuery, _ shared: SharedReads, _ context: RadosContext
        ) async throws(PoolFailure) -> ObjectContents {
            try await shared.read(query.names[0]) { (names) in
                var query = query
                query.names = names
                let (operation, call) = (RadosRead(query), RadosCall())
                if shared.begin(call) { call.cancel(context) }
                unsafe call.send(context) { (completion) in
                    unsafe operation.send(context, object.name, completion)
                } end: { (status, isCancelled) in
                    shared.end(
                        status < 0
                            ? .failure(PoolFailure(read: -status, isCancelled: isCancelled))
                            : .success(operation.contents()))
                }
            } cancel: { (call) in
                (call as? RadosCall)?.cancel(context)
            }
        }

        /// Closes the pool. Afterwards no thread of librados runs: one that did while the process ends would use what
        /// the process has freed.
        nonisolated(nonsending) func close() async {
            await slots.close()
            await releaseCluster()
            // The thread that released it may not be the last one to do so: a watch may be ending on another.
            await shutdown.wait()
        }

        private nonisolated(nonsending) func releaseCluster() async {
            let closed = state.withLock { state in
                defer { state = State(cluster: nil) }
                return state
            }
            // Shutting down waits for threads of librados.
            do throws(StorageError) {
                try await BlockingWork.run(isCancellable: false) { (_) in
                    for watch in closed.watches { watch.finish() }
                    withExtendedLifetime(closed) {}
                }
            } catch {
                // Without a thread, the last reference goes here.
                withExtendedLifetime(closed) {}
            }
        }

        private nonisolated(nonsending) func takeSlot() async throws(PoolFailure) {
            if Task.isCancelled { throw PoolFailure(.cancelled) }
            guard await slots.take() else { throw PoolFailure(.closed) }
            guard Task.isCancelled else { return }
            slots.giveBack()
            throw PoolFailure(.cancelled)
        }

        private func context(_ key: ContextKey) throws(PoolFailure) -> RadosContext {
            try state.withLock { (state) throws(PoolFailure) in
                if let last = state.last, last.key == key { return last.context }
                if let known = state.contexts[key] {
                    state.last = (key, known)
                    return known
                }
                guard let cluster = state.cluster else { throw PoolFailure(.closed) }
                let context = try RadosContext(
                    cluster, namespace: key.namespace, writeTo: key.writeTo, readFrom: key.readFrom)
                // Operations in flight hold the contexts that they use.
                if state.contexts.count >= RadosPool.contextsMax { state.contexts = [:] }
                state.contexts[key] = context
                state.last = (key, context)
                return context
            }
        }

        nonisolated(nonsending) func makeSnapshot(in namespace: String) async throws(PoolFailure) -> UInt64 {
            let id = Locked<UInt64>(0)
            try await withContext(namespace) { (context) in
                var made: UInt64 = 0
                let status = unsafe rados_ioctx_selfmanaged_snap_create(context.handle, &made)
                id.withLock { $0 = made }
                return status
            }
            return id.withLock { $0 }
        }

        nonisolated(nonsending) func removeSnapshot(_ id: UInt64, in namespace: String) async throws(PoolFailure) {
            try await withContext(namespace) { (context) in
                let status = unsafe rados_ioctx_selfmanaged_snap_remove(context.handle, id)
                return status == -ENOENT ? 0 : status
            }
        }

        nonisolated(nonsending) func health() async throws(PoolFailure) -> [UInt8] {
            let answer = Locked<[UInt8]>([])
            try await withContext("") { (context) in
                let command = "{\"prefix\": \"health\", \"format\": \"json\"}"
                var (output, outputCount): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
                let status = unsafe command.withCString { (text) in
                    var commands: [UnsafePointer<CChar>?] = unsafe [text]
                    return unsafe rados_mon_command(
                        context.cluster.handle, &commands, 1, nil, 0, &output, &outputCount, nil, nil)
                }
                answer.withLock { $0 = unsafe [UInt8](UnsafeRawBufferPointer(start: output, count: outputCount)) }
                unsafe rados_buffer_free(output)
                return status
            }
            return answer.withLock { $0 }
        }

        nonisolated(nonsending) func usage() async throws(PoolFailure) -> ClusterUsage {
            let usage = Locked(ClusterUsage(objects: 0, bytes: 0))
            try await withContext("") { (context) in
                var figures = rados_pool_stat_t()
                let status = unsafe rados_ioctx_pool_stat(context.handle, &figures)
                usage.withLock { $0 = ClusterUsage(objects: figures.num_objects, bytes: figures.num_bytes) }
                return status
            }
            return usage.withLock { $0 }
        }

        nonisolated(nonsending) func watch(
            _ object: ObjectName, _ report: @escaping @Sendable (WatchEvent) -> Void
        ) async throws(PoolFailure) -> any PoolWatch {
            let watch = RadosWatch(try context(ContextKey(namespace: object.namespace)), object.name, report)
            // Before it begins, so that the pool can't be closed in between and miss it.
            state.withLock { $0.watches = $0.watches.filter { !$0.hasEnded } + [watch] }
            do throws(PoolFailure) {
                try await withContext(object.namespace) { (_) in watch.begin() }
            } catch {
                watch.end()
                throw error
            }
            return watch
        }

        nonisolated(nonsending) func notify(_ object: ObjectName, _ bytes: [UInt8]) async throws(PoolFailure) {
            try await withContext(object.namespace) { (context) in
                var (reply, count): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
                let status = unsafe bytes.withUnsafeBytes { (buffer) in
                    unsafe rados_notify2(
                        context.handle, object.name, buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
                        Int32(buffer.count), RadosPool.notifyMilliseconds, &reply, &count)
                }
                unsafe rados_buffer_free(reply)
                // A watcher that did not answer in time has missed it, and will hear so.
                return status == -ETIMEDOUT ? 0 : status
            }
        }

        /// Runs a function of librados that blocks, on a thread of the library.
        private nonisolated(nonsending) func withContext(
            _ namespace: String, _ body: @escaping @Sendable (RadosContext) -> Int32
        ) async throws(PoolFailure) {
            try await takeSlot()
            defer { slots.giveBack() }
            let context = try context(ContextKey(namespace: namespace))
            let status: Int32
            do throws(StorageError) {
                status = try await BlockingWork.run(isCancellable: false) { (_) in body(context) }
            } catch {
                // There is no thread for it.
                throw PoolFailure(.other(EAGAIN))
            }
            guard status >= 0 else { throw PoolFailure(write: -status) }
        }
    }
#endif
