import Shale
import ShaleBase
import ShalePlatform
import TestSupport
import Testing

@testable import ShaleCluster

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Random operations on a namespace beside a dictionary that must always agree with it.
///
/// Operations may fail without an answer. Then the model reads, behind a fence, which of both outcomes has come true: a
/// write that happened as a whole, or none.
final class ClusterModel {
    struct Value: Equatable {
        var number: Int
        var isLarge: Bool
        var isPurgeable: Bool
        var end: Int64?

        /// The stored form: a large one has an object of its own.
        var bytes: [UInt8] {
            let text = Array("\(number)".utf8)
            return isLarge ? text + [UInt8](repeating: 32, count: 70_000) : text
        }

        var options: ValueOptions {
            [
                isPurgeable ? .purgeable : .notPurgeable,
                end.map { .expires(at: Date(timeIntervalSince1970: Double($0) / 1000)) } ?? .neverExpires,
            ]
        }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let random: SeededRandom
    private let time: ManualTime
    /// Clients of the namespace: what one writes the others see.
    private let clients: [ClusterNamespace]
    /// Makes operations of the cluster fail from now on, if it can; never without a fault.
    private let setFaults: (Double) -> Void
    private var reference: [String: Value] = [:]
    private var nextNumber = 0
    private(set) var operations = 0
    private(set) var unanswered = 0

    init(
        seed: UInt64, time: ManualTime, clients: [ClusterNamespace], setFaults: @escaping (Double) -> Void = { _ in }
    ) {
        random = SeededRandom(seed: seed)
        self.time = time
        self.clients = clients
        self.setFaults = setFaults
    }

    private var client: ClusterNamespace { clients[random.below(clients.count)] }

    private func key(in partition: Int) -> String { "p\(partition)/\(random.below(12))" }

    private var key: String { key(in: random.below(6)) }

    private func value() -> Value {
        nextNumber += 1
        let lifetime: Int64? = random.chance(0.2) ? Int64(1 + random.below(5_000)) : nil
        return Value(
            number: nextNumber, isLarge: random.chance(0.05), isPurgeable: random.chance(0.3),
            end: lifetime.map { time.wallMilliseconds + $0 })
    }

    private func visible(_ key: String) -> Value? {
        guard let value = reference[key] else { return nil }
        return value.end.map { $0 <= time.wallMilliseconds } ?? false ? nil : value
    }

    /// Does one random operation and compares its outcome.
    func step() async throws {
        operations += 1
        switch random.below(100) {
        case 0..<35: try await change([key: value()])
        case 35..<45: try await change([key: nil])
        case 45..<58:
            let partition = random.below(6)
            var changes: [String: Value?] = [:]
            for _ in 0...random.below(8) {
                changes[key(in: partition)] = random.chance(0.7) ? Value?.some(value()) : nil
            }
            try await change(changes)
        case 58..<66: try await compareAndSet()
        case 66..<84: try await get()
        case 84..<90: try await scan()
        case 90..<93: time.advance(milliseconds: UInt64(random.below(3_000)))
        case 93..<95: try await purge()
        case 95..<96: try await truncate()
        case 96..<97: try await snapshot()
        default: _ = try await client.reclaim()
        }
    }

    // MARK: Changes

    /// Writes changes of one partition; `nil` removes.
    private func change(_ changes: [String: Value?]) async throws {
        let before = changes.keys.reduce(into: [String: Value]()) { $0[$1] = reference[$1] }
        setFaults(0.05)
        do throws(StorageError) {
            try await client.write { (batch) throws(StorageError) in
                for (key, value) in changes.sorted(by: { $0.key < $1.key }) {
                    if let value {
                        try batch.set(value.bytes, forKey: key, options: value.options)
                    } else {
                        try batch.remove(key)
                    }
                }
            }
            setFaults(0)
            for (key, value) in changes { reference[key] = value }
        } catch {
            setFaults(0)
            // A large value's first steps may have failed, or the header could not be read: nothing was written then.
            guard [.indeterminate, .unavailable].contains(error.code) else { throw error }
            try await settle(changes, before)
        }
    }

    /// Finds out whether changes without an answer have happened.
    private func settle(_ changes: [String: Value?], _ before: [String: Value]) async throws {
        unanswered += 1
        guard let first = changes.keys.first else { return }
        try await client.fence(forKey: first)
        var after = before
        for (key, value) in changes { after[key] = value }
        func matches(_ expected: [String: Value]) async throws -> Bool {
            for key in changes.keys {
                let value = expected[key].flatMap { ($0.end.map { $0 <= time.wallMilliseconds } ?? false) ? nil : $0 }
                guard try await client.value(forKey: key, as: [UInt8].self) == value?.bytes else { return false }
            }
            return true
        }
        if try await matches(after) {
            for (key, value) in changes { reference[key] = value }
        } else if try await !matches(before) {
            throw Failure(description: "a write without an answer happened in part: \(changes.keys.sorted())")
        }
    }

    private func compareAndSet() async throws {
        let key = key
        let isRight = random.chance(0.6)
        let expected = isRight ? visible(key)?.bytes : Array("wrong".utf8)
        var value = value()
        value.isLarge = false
        let isSet = try await client.compareAndSet(
            value.bytes, forKey: key, expecting: expected, options: value.options)
        guard isSet == (isRight || visible(key)?.bytes == expected) else {
            throw Failure(description: "compare-and-set of \(key) returned \(isSet)")
        }
        if isSet { reference[key] = value }
    }

    // MARK: Reads

    private func get() async throws {
        if random.chance(0.5) { return try await getAtOnce() }
        let keys = (0..<3).map { _ in key }
        let found = try await client.values(forKeys: keys, as: [UInt8].self)
        let expected = keys.map { visible($0)?.bytes }
        guard found == expected else { throw Failure(description: "gets of \(keys) differ") }
    }

    /// Reads keys in tasks of their own: those of a shard are sent together.
    private func getAtOnce() async throws {
        let (client, keys) = (client, (0..<8).map { _ in key })
        let found = try await withThrowingTaskGroup(of: (String, [UInt8]?).self) { group in
            for key in keys { group.addTask { (key, try await client.value(forKey: key, as: [UInt8].self)) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for (key, bytes) in found where bytes != visible(key)?.bytes {
            throw Failure(description: "a get of \(key) beside others differs")
        }
    }

    private func scan() async throws {
        let partition = random.chance(0.5) ? "p\(random.below(6))/" : "p"
        try await compare(client.entries(prefix: partition), prefix: partition)
    }

    /// Compares all entries.
    func compareAll() async throws { try await compare(client.entries, prefix: "") }

    private func compare(_ entries: ClusterEntries, prefix: String) async throws {
        var found: [String: [UInt8]] = [:]
        var last: EntryKey?
        for try await entry in entries {
            if let last, !(last < entry.key) { throw Failure(description: "a scan is out of order") }
            last = entry.key
            found[entry.key.string ?? ""] = try entry.value(as: [UInt8].self)
        }
        let expected = reference.keys.filter { $0.hasPrefix(prefix) }
            .reduce(into: [String: [UInt8]]()) { $0[$1] = visible($1)?.bytes }
        guard found == expected else {
            let keys = Set(found.keys).symmetricDifference(expected.keys).sorted()
            throw Failure(description: "a scan of \(prefix) differs; keys of one side only: \(keys)")
        }
    }

    // MARK: Purges and snapshots

    private func purge() async throws {
        try await client.purgeNow()
        reference = reference.filter { !$0.value.isPurgeable }
    }

    private func truncate() async throws {
        try await client.truncate()
        reference = [:]
    }

    /// Takes a snapshot, changes things, and compares the snapshot with what was there.
    private func snapshot() async throws {
        let snapshot = try await client.snapshot()
        let (then, moment) = (reference, time.wallMilliseconds)
        for _ in 0..<10 { try await change([key: random.chance(0.6) ? Value?.some(value()) : nil]) }
        if random.chance(0.5) { try await purge() }
        if random.chance(0.5) { _ = try await client.reclaim() }
        var found: [String: [UInt8]] = [:]
        for try await entry in snapshot.entries {
            found[entry.key.string ?? ""] = try entry.value(as: [UInt8].self)
        }
        let expected = then.filter { $0.value.end.map { $0 > moment } ?? true }.mapValues(\.bytes)
        guard found == expected else { throw Failure(description: "a snapshot has changed") }
        try await snapshot.release()
    }
}
