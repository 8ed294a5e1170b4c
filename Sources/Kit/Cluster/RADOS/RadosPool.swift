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
            var contexts: [String: RadosContext] = [:]
        }

        private let slots: OperationSlots
        private let state: Locked<State>

        init(_ cluster: RadosCluster, operationsInFlight: Int) {
            slots = OperationSlots(operationsInFlight)
            state = Locked(State(cluster: cluster))
        }

        nonisolated(nonsending) func write(_ object: ObjectName, _ change: ObjectChange) async throws(PoolFailure) {
            try await takeSlot()
            defer { slots.giveBack() }
            let context = try context(object.namespace)
            let operation = RadosWrite(change)
            let status = await withCheckedContinuation { continuation in
                let call = RadosCall(continuation)
                call.send { (completion) in operation.send(context, object.name, completion) }
            }
            guard status >= 0 else { throw PoolFailure(write: -status) }
        }

        nonisolated(nonsending) func read(
            _ object: ObjectName, _ query: ObjectQuery
        ) async throws(PoolFailure) -> ObjectContents {
            try await takeSlot()
            defer { slots.giveBack() }
            let context = try context(object.namespace)
            let operation = RadosRead(query)
            let cancellation = RadosCancellation(context)
            let status = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let call = RadosCall(continuation)
                    call.send { (completion) in
                        let status = operation.send(context, object.name, completion)
                        if status == 0 { cancellation.begin(completion) }
                        return status
                    }
                }
            } onCancel: {
                cancellation.cancel()
            }
            cancellation.end()
            guard status >= 0 else { throw PoolFailure(read: -status) }
            return operation.contents()
        }

        nonisolated(nonsending) func close() async {
            await slots.close()
            let closed = state.withLock { state in
                defer {
                    state.cluster = nil
                    state.contexts = [:]
                }
                return state
            }
            // Shutting down waits for threads of librados.
            do throws(StorageError) {
                try await BlockingWork.run(isCancellable: false) { (_) in withExtendedLifetime(closed) {} }
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

        private func context(_ namespace: String) throws(PoolFailure) -> RadosContext {
            try state.withLock { (state) throws(PoolFailure) in
                if let known = state.contexts[namespace] { return known }
                guard let cluster = state.cluster else { throw PoolFailure(.closed) }
                let context = try RadosContext(cluster, namespace: namespace)
                state.contexts[namespace] = context
                return context
            }
        }
    }

    /// One call of librados: its completion and the task that waits for it.
    private final class RadosCall: Sendable {
        private let continuation: CheckedContinuation<Int32, Never>

        init(_ continuation: CheckedContinuation<Int32, Never>) { self.continuation = continuation }

        /// Sends an operation with a completion that resumes the task. A status below 0 means that librados did not
        /// take the operation.
        func send(_ operation: (RadosCompletion) -> Int32) {
            let retained = unsafe Unmanaged.passRetained(self)
            var handle: rados_completion_t?
            _ = unsafe rados_aio_create_completion2(
                retained.toOpaque(),
                { (completion, argument) in
                    guard let argument = unsafe argument else { return }
                    let call = unsafe Unmanaged<RadosCall>.fromOpaque(argument).takeRetainedValue()
                    call.continuation.resume(returning: unsafe rados_aio_get_return_value(completion))
                }, &handle)
            var status: Int32 = -ENOMEM
            if let handle = unsafe handle { status = operation(unsafe RadosCompletion(handle)) }
            guard status < 0 else { return }
            unsafe retained.release()
            continuation.resume(returning: status)
        }
    }

    /// A completion of librados, and a reference to it.
    @safe
    final class RadosCompletion: @unchecked Sendable {
        // Never changes. librados's completions are safe from any thread.
        let handle: rados_completion_t

        init(_ handle: rados_completion_t) { unsafe self.handle = handle }

        deinit { unsafe rados_aio_release(handle) }
    }

    /// Cancels a read when its task is cancelled. Thread-safe.
    private final class RadosCancellation: Sendable {
        private struct State: Sendable {
            var isCancelled = false
            var hasEnded = false
            var completion: RadosCompletion?
        }

        private let context: RadosContext
        private let state = Locked(State())

        init(_ context: RadosContext) { self.context = context }

        /// Keeps the completion of an operation that was sent. Comes before `end` also if the operation has completed:
        /// the task resumes after it has suspended.
        func begin(_ completion: RadosCompletion) {
            let isCancelled = state.withLock { state in
                state.completion = completion
                return state.isCancelled
            }
            if isCancelled { cancel() }
        }

        func cancel() {
            state.withLock { state in
                state.isCancelled = true
                guard !state.hasEnded, let completion = state.completion else { return }
                _ = unsafe rados_aio_cancel(context.handle, completion.handle)
            }
        }

        func end() {
            state.withLock { state in
                state.hasEnded = true
                state.completion = nil
            }
        }
    }
#endif
