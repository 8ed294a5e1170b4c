import Posix
import Synchronization

/// The harness's own threads: workloads block in the kernel and need exactly the threads that they request.
enum Threads {
    private final class Job: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` with 0 ..< `count` in parallel and returns the results in that order, or throws one of the errors
    /// after all have ended. A single call runs on the caller's thread.
    static func run<Result: Sendable>(
        _ count: Int, _ body: @escaping @Sendable (Int) throws -> Result
    ) throws -> [Result] {
        guard count > 1 else { return [try body(0)] }
        let results = Results<Result>(count)
        let handles = try (0..<count).map { index in
            try start { results.set(index, Swift.Result { try body(index) }) }
        }
        for handle in handles { join(handle) }
        return try results.values().map { try $0.get() }
    }

    /// Starts a thread, to be joined with `pthread_join`.
    private static func start(_ body: @escaping @Sendable () -> Void) throws -> pthread_t {
        let job = unsafe Unmanaged.passRetained(Job(body))
        #if canImport(Glibc)
            var thread = pthread_t()
            let status = unsafe pthread_create(&thread, nil, { unsafe Threads.enter($0) }, job.toOpaque())
            if status == 0 { return thread }
        #else
            var thread: pthread_t?
            let status = unsafe pthread_create(&thread, nil, { unsafe Threads.enter($0) }, job.toOpaque())
            if status == 0, let thread = unsafe thread { return unsafe thread }
        #endif
        unsafe job.release()
        throw BenchError("a thread could not be started: error \(status)")
    }

    private static func join(_ thread: pthread_t) {
        #if canImport(Glibc)
            pthread_join(thread, nil)
        #else
            unsafe pthread_join(thread, nil)
        #endif
    }

    private static func enter(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument = unsafe argument else { return nil }
        unsafe Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body()
        return nil
    }
}

/// One result per thread.
private final class Results<Value: Sendable>: Sendable {
    private let slots: Mutex<[Result<Value, any Error>?]>

    init(_ count: Int) { slots = Mutex(Array(repeating: nil, count: count)) }

    func set(_ index: Int, _ value: Result<Value, any Error>) { slots.withLock { $0[index] = value } }

    func values() -> [Result<Value, any Error>] { slots.withLock { $0.compactMap { $0 } } }
}

/// The numbers from 0 on, each given to one of several threads.
final class DealtNumbers: Sendable {
    private let count: Int
    private let dealt = Atomic<Int>(0)

    init(below count: Int) { self.count = count }

    /// Returns the next number; `nil` if there are no more.
    func next() -> Int? {
        let number = dealt.wrappingAdd(1, ordering: .relaxed).oldValue
        return number < count ? number : nil
    }
}
