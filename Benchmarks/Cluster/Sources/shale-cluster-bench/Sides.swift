import BareRados
import ShaleCluster
import Synchronization

/// The two sides of the comparison: a loop over librados in C, and a namespace.
@safe
struct Sides: @unchecked Sendable {
    // Used by one task at a time.
    let bare: OpaquePointer
    let namespace: ClusterNamespace
    /// The keys, of which 100 are a partition. Making them is no part of an operation.
    private let names = (0..<Main.keys).map { "p\($0 / 100)/key\(1_000_000 + $0)" }

    init(bare: OpaquePointer, namespace: ClusterNamespace) {
        unsafe self.bare = bare
        self.namespace = namespace
    }

    private struct Failure: Error {
        let number: Double
    }

    /// Returns the seconds that librados in C takes for operations with `depth` in flight.
    func bareSeconds(_ kind: bare_kind, _ numbers: Range<Int>, _ depth: Int) throws -> Double {
        let seconds = unsafe bare_run(
            bare, kind, UInt32(numbers.lowerBound), Int32(numbers.count), Int32(depth),
            Int32(Main.value.count))
        guard seconds > 0 else { throw Failure(number: seconds) }
        return seconds
    }

    /// Returns the seconds that `depth` tasks take for operations. Each task begins the next one that none has begun.
    func shaleSeconds(_ kind: bare_kind, _ numbers: Range<Int>, _ depth: Int) async throws -> Double {
        let start = ContinuousClock.now
        let next = Numbers(numbers)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<depth {
                group.addTask {
                    while let number = next.take() { try await run(kind, number) }
                }
            }
            try await group.waitForAll()
        }
        let duration = (ContinuousClock.now - start).components
        return Double(duration.seconds) + Double(duration.attoseconds) / 1e18
    }

    private func run(_ kind: bare_kind, _ number: Int) async throws {
        let place = Int(UInt32(truncatingIfNeeded: number) &* 2_654_435_761 % UInt32(Main.keys))
        switch kind {
        case bare_put: try await namespace.set(Main.value, forKey: names[place])
        case bare_get: _ = try await namespace.value(forKey: names[place], as: [UInt8].self)
        case bare_batch: try await batch(number % (Main.keys / 100))
        default: _ = try await namespace.entries(prefix: "p\(number % (Main.keys / 100))/").array()
        }
    }

    func batch(_ partition: Int) async throws {
        try await namespace.write { (changes) throws(StorageError) in
            for index in 0..<100 { try changes.set(Main.value, forKey: names[partition * 100 + index]) }
        }
    }
}

/// The numbers of operations that no task has begun.
private final class Numbers: Sendable {
    private let end: Int
    private let next: Atomic<Int>

    init(_ numbers: Range<Int>) {
        end = numbers.upperBound
        next = Atomic(numbers.lowerBound)
    }

    func take() -> Int? {
        let number = next.add(1, ordering: .relaxed).oldValue
        return number < end ? number : nil
    }
}
