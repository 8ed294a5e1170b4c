import ShalePlatform

/// An operation in flight that reads the entries of several callers.
package protocol SharedCall: AnyObject, Sendable {}

/// The reads of entries of one object by this client, which are sent together. Thread-safe.
///
/// A read costs the client, the network and the OSD far more than one more name in it, and an OSD handles the
/// operations on an object one after the other. So one of these operations is in flight for an object:
///
/// 1. A read without an operation in flight is sent at once, with those that wait. Further reads wait in order.
/// 2. When the operation has ended, all its reads resume. The first one sends those that wait.
/// 3. A read is sent after it was asked for, so it sees every write that returned before.
///
/// A read that is cancelled ends at once. If it is the last one of its operation, it cancels the operation and ends
/// with it, so that a task is left to send those that wait.
package final class SharedReads: Sendable {
    /// The most reads in an operation: an entry that a caller keeps holds at most 1 MiB for the others.
    package static let readsMax = 16

    private final class Answer: Sendable {
        let result: Result<ObjectContents, PoolFailure>

        init(_ result: Result<ObjectContents, PoolFailure>) { self.result = result }
    }

    private struct Turn: Sendable {
        let answer: Answer
        /// True if the task sends the reads that wait.
        var sendsNext = false
    }

    private typealias Continuation = UnsafeContinuation<Turn, Never>

    /// A read. Guarded by the lock of the state.
    @safe
    private final class Read: @unchecked Sendable {
        let name: [UInt8]
        /// `nil` before the task waits, and after it was resumed.
        private var continuation: Continuation?
        var isCancelled = false

        init(_ name: [UInt8]) { self.name = name }

        var isPending: Bool { unsafe continuation != nil }

        func begin(_ continuation: Continuation) { unsafe self.continuation = continuation }

        /// Returns the continuation, once.
        func end() -> Continuation? {
            defer { unsafe continuation = nil }
            return unsafe continuation
        }
    }

    private struct State {
        private static let pruneCountMin = 64

        /// The reads of the operation in flight that wait for it: at least one.
        var sent: [Read] = []
        var call: (any SharedCall)?
        /// True if no read waits for the operation any more.
        var isCancelled = false
        var waiting: [Read] = []
        /// The number of reads that wait at which cancelled ones are removed.
        private var pruneCount = pruneCountMin

        mutating func wait(_ read: Read) {
            if waiting.count >= pruneCount {
                waiting.removeAll(where: \.isCancelled)
                pruneCount = max(State.pruneCountMin, 2 * waiting.count)
            }
            waiting.append(read)
        }

        /// Begins an operation with the first reads that wait and one more. Returns their names, none without a read.
        mutating func begin(_ last: Read?) -> [[UInt8]] {
            var count = 0
            let limit = SharedReads.readsMax - (last == nil ? 0 : 1)
            while count < waiting.count, sent.count < limit {
                if !waiting[count].isCancelled { sent.append(waiting[count]) }
                count += 1
            }
            waiting.removeFirst(count)
            if let last { sent.append(last) }
            return sent.map(\.name)
        }
    }

    private let state = Locked(State())

    package init() {}

    /// The number of reads that wait for the operation in flight.
    package var waitingCount: Int { state.withLock { $0.waiting.count { !$0.isCancelled } } }

    /// The number of reads in memory, with some that were cancelled.
    package var heldCount: Int { state.withLock { $0.waiting.count + $0.sent.count } }

    /// Reads the entry with a name, alone or together with others. Throws `.cancelled` and the failure of the
    /// operation.
    ///
    /// - Parameters:
    ///   - send: Sends an operation that finds entries, and calls ``begin(_:)`` before and ``end(_:)`` after it.
    ///   - cancel: Makes an operation in flight end soon.
    /// - Returns: The contents that the operation has found, with the entry if there is one, and perhaps with others.
    package nonisolated(nonsending) func read(
        _ name: [UInt8], send: ([[UInt8]]) -> Void, cancel: @escaping @Sendable (any SharedCall) -> Void
    ) async throws(PoolFailure) -> ObjectContents {
        let read = Read(name)
        let turn = await withTaskCancellationHandler {
            // Resumed once, by the function that takes the continuation.
            unsafe await withUnsafeContinuation { continuation in
                unsafe begin(read, continuation, send)
            }
        } onCancel: {
            if let call = self.cancel(read) { cancel(call) }
        }
        if turn.sendsNext {
            let names = state.withLock { $0.sent.isEmpty ? $0.begin(nil) : [] }
            if !names.isEmpty { send(names) }
        }
        return try turn.answer.result.get()
    }

    private func begin(_ read: Read, _ continuation: Continuation, _ send: ([[UInt8]]) -> Void) {
        let names = state.withLock { state -> [[UInt8]]? in
            if read.isCancelled { return nil }
            unsafe read.begin(continuation)
            if state.sent.isEmpty { return state.begin(read) }
            state.wait(read)
            return []
        }
        guard let names else { return unsafe continuation.resume(returning: SharedReads.cancelled) }
        if !names.isEmpty { send(names) }
    }

    private static var cancelled: Turn { Turn(answer: Answer(.failure(PoolFailure(.cancelled)))) }

    /// Ends a read, unless it is the last one of the operation in flight. Then returns the operation.
    private func cancel(_ read: Read) -> (any SharedCall)? {
        let (continuation, call) = unsafe state.withLock { state -> (Continuation?, (any SharedCall)?) in
            read.isCancelled = true
            guard read.isPending else { return (nil, nil) }
            if let index = state.sent.firstIndex(where: { $0 === read }) {
                guard state.sent.count > 1 else {
                    state.isCancelled = true
                    return (nil, state.call)
                }
                state.sent.remove(at: index)
            }
            return unsafe (read.end(), nil)
        }
        unsafe continuation?.resume(returning: SharedReads.cancelled)
        return call
    }

    /// Notes the operation that is about to be sent. Returns true if no read waits for it any more.
    package func begin(_ call: any SharedCall) -> Bool {
        state.withLock { state in
            state.call = call
            return state.isCancelled
        }
    }

    /// Ends the reads of the operation in flight.
    package func end(_ result: Result<ObjectContents, PoolFailure>) {
        var turn = Turn(answer: Answer(result))
        let continuations = unsafe state.withLock { state in
            turn.sendsNext = !state.waiting.isEmpty
            state.call = nil
            state.isCancelled = false
            defer { state.sent = [] }
            return unsafe state.sent.compactMap { unsafe $0.end() }
        }
        for index in unsafe continuations.indices {
            unsafe continuations[index].resume(returning: turn)
            turn.sendsNext = false
        }
    }
}
