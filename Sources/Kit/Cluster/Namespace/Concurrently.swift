import ShaleBase

/// Runs `body` for each number of a range in tasks of their own, at most `limit` at once. The first error ends the
/// call, after the tasks that have begun.
nonisolated(nonsending) func concurrently(
    _ range: Range<Int>, limit: Int = 16,
    _ body: @escaping @Sendable (Int) async throws(StorageError) -> Void
) async throws(StorageError) {
    _ = try await concurrently(range, limit: limit) { (index) throws(StorageError) -> Bool in
        try await body(index)
        return true
    }
}

/// Returns the results of `body` for each number of a range, in order. Runs as the other function does, but a single
/// number in the task of the caller.
nonisolated(nonsending) func concurrently<R: Sendable>(
    _ range: Range<Int>, limit: Int = 16,
    _ body: @escaping @Sendable (Int) async throws(StorageError) -> R
) async throws(StorageError) -> [R] {
    if range.count == 1 { return [try await body(range.lowerBound)] }
    let outcomes = await withTaskGroup(of: (Int, Result<R, StorageError>).self) { group in
        var outcomes: [Int: Result<R, StorageError>] = [:]
        var next = range.lowerBound
        var hasFailed = false
        func add() {
            guard next < range.upperBound, !hasFailed else { return }
            let index = next
            next += 1
            group.addTask {
                do throws(StorageError) {
                    return (index, .success(try await body(index)))
                } catch {
                    return (index, .failure(error))
                }
            }
        }
        for _ in 0..<limit { add() }
        while let (index, outcome) = await group.next() {
            if case .failure = outcome { hasFailed = true }
            outcomes[index] = outcome
            add()
        }
        return outcomes
    }
    var results: [R] = []
    results.reserveCapacity(range.count)
    if let failure = outcomes.sorted(by: { $0.key < $1.key }).lazy.compactMap({ $0.value.failure }).first {
        throw failure
    }
    for index in range {
        if let outcome = outcomes[index] { results.append(try outcome.get()) }
    }
    return results
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
