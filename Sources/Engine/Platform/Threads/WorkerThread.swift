package import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A thread owned by the engine.
///
/// Background work blocks in the kernel, so it must not occupy threads of Swift's cooperative pool.
package final class WorkerThread: Sendable {
    private final class Job: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }

        func run() {
            WorkerThread.setName(name)
            #if SHALE_WAITS
                ThreadWaits.setName(name)
            #endif
            body()
        }
    }

    /// The stack size, the same on every platform: secondary threads default to 512 KiB on Darwin, 8 MiB on Linux.
    private static let stackBytes = 2 << 20

    /// `pthread_t` is a number on Linux and a pointer elsewhere.
    @safe
    private struct Handle: @unchecked Sendable {
        let thread: pthread_t

        #if SHALE_SCHEDULES
            /// The number of the thread in the scheduler that runs it.
            var scheduled: Int?

            func join() {
                if let scheduled { ThreadScheduler.current?.join(scheduled) } else { pthread_join(thread, nil) }
            }
            func detach() { if scheduled == nil { pthread_detach(thread) } }
        #elseif canImport(Glibc)
            func join() { pthread_join(thread, nil) }
            func detach() { pthread_detach(thread) }
        #else
            func join() { unsafe pthread_join(thread, nil) }
            func detach() { unsafe pthread_detach(thread) }
        #endif
    }

    /// `nil` after the join.
    private let handle: Locked<Handle?>

    private init(_ handle: Handle) { self.handle = Locked(handle) }

    /// Detaches a thread that was not joined. It continues to run, so it must own everything that it uses.
    deinit {
        if let handle = handle.withLock({ $0 }) { handle.detach() }
    }

    /// Runs `body` on a new thread. Debuggers show `name`; Linux keeps its first 15 bytes.
    package static func start(
        name: String, _ body: @escaping @Sendable () -> Void
    ) throws(IOFailure) -> WorkerThread {
        #if SHALE_SCHEDULES
            if let scheduler = ThreadScheduler.current {
                return WorkerThread(Handle(thread: 0, scheduled: scheduler.start(name, body)))
            }
        #endif
        let job = Job(name: name, body: body)
        let retained = unsafe Unmanaged.passRetained(job)
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setstacksize(&attributes, stackBytes)
        #if canImport(Glibc)
            var thread = pthread_t()
            let status = unsafe pthread_create(
                &thread, &attributes, { unsafe WorkerThread.run($0) }, retained.toOpaque())
            if status == 0 { return WorkerThread(Handle(thread: thread)) }
        #else
            var thread: pthread_t?
            let status = unsafe pthread_create(
                &thread, &attributes, { unsafe WorkerThread.run($0) }, retained.toOpaque())
            if status == 0, let thread = unsafe thread { return unsafe WorkerThread(Handle(thread: thread)) }
        #endif
        unsafe retained.release()
        throw IOFailure("pthread_create", name, status)
    }

    #if SHALE_WAITS
        /// Waits until the thread has ended; later calls return at once. The thread itself must not call it.
        package func join(_ file: StaticString = #fileID, _ line: UInt = #line) {
            let identity = UInt(bitPattern: unsafe Unmanaged.passUnretained(self).toOpaque())
            ThreadWaits.during(.join, identity, file, line) { waitForEnd() }
        }
    #else
        /// Waits until the thread has ended; later calls return at once. The thread itself must not call it.
        package func join() { waitForEnd() }
    #endif

    private func waitForEnd() {
        let taken = handle.withLock { handle in
            defer { handle = nil }
            return handle
        }
        if let taken { taken.join() }
    }

    private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument = unsafe argument else { return nil }
        unsafe Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().run()
        return nil
    }

    private static func setName(_ name: String) {
        #if canImport(Darwin)
            unsafe pthread_setname_np(name)
        #else
            // The Glibc module does not export pthread_setname_np. Failure is harmless: the thread works without its
            // name.
            let file = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
            guard file >= 0 else { return }
            let text = Array(name.utf8.prefix(15))
            _ = unsafe text.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
            close(file)
        #endif
    }
}

/// Returns the number of processors that were online at the first call, at least one. On Linux asking takes three
/// system calls.
package func processorCount() -> Int { onlineProcessors }

private let onlineProcessors = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

/// Blocks the calling thread for at least `nanoseconds`; signals don't shorten it.
package func sleepNanoseconds(_ nanoseconds: UInt64) {
    #if SHALE_SCHEDULES
        if let scheduler = ThreadScheduler.current { return scheduler.sleep(nanoseconds) }
    #endif
    var left = timespec(
        tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    var rest = timespec()
    while unsafe nanosleep(&left, &rest) == -1, errno == EINTR { left = rest }
}

/// Yields the processor to other threads that are ready to run.
package func yieldProcessor() {
    #if SHALE_SCHEDULES
        if let scheduler = ThreadScheduler.current { return scheduler.sleep(1) }
    #endif
    sched_yield()
}
