public import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The state of a cluster, as its monitors report it.
public struct ClusterHealth: Sendable, Hashable {
    public enum Status: String, Sendable, Hashable {
        case healthy = "HEALTH_OK"
        /// The cluster works, and needs attention: an OSD is down, a disk nearly full, objects are large.
        case warning = "HEALTH_WARN"
        /// Data is unavailable or in danger.
        case failing = "HEALTH_ERR"
    }

    public let status: Status
    /// The names of the monitors' checks that don't pass, such as `OSD_DOWN`, in order.
    public let checks: [String]
    /// The summaries of these checks.
    public let problems: [String]

    /// True if a pool or an OSD has no space.
    public var isFull: Bool { checks.contains("POOL_FULL") || checks.contains("OSD_FULL") }

    /// Parses the answer of the monitors.
    init(json: [UInt8]) throws(StorageError) {
        struct Answer: Decodable {
            struct Check: Decodable {
                struct Summary: Decodable { let message: String }
                let summary: Summary
            }
            let status: String
            let checks: [String: Check]
        }
        let answer: Answer
        do {
            answer = try JSONDecoder().decode(Answer.self, from: Data(json))
        } catch {
            throw StorageError(.unavailable, "the monitors' report can't be read", cause: error)
        }
        guard let status = Status(rawValue: answer.status) else {
            throw StorageError(.unavailable, "the monitors report a state that this version does not know")
        }
        self.status = status
        let failing = answer.checks.sorted { $0.key < $1.key }
        checks = failing.map(\.key)
        problems = failing.map(\.value.summary.message)
    }
}

/// The contents of a pool, as the cluster counts them. All figures are 0 in a cluster without a manager.
public struct ClusterUsage: Sendable, Hashable {
    /// The number of objects: shards, values with objects of their own, and records.
    public let objects: UInt64
    /// The bytes on disk of all replicas, with the entries of shards.
    public let bytes: UInt64

    package init(objects: UInt64, bytes: UInt64) {
        self.objects = objects
        self.bytes = bytes
    }
}

extension ClusterStore {
    /// Asks the monitors for the state of the cluster. The client's key must permit to read it (`mon 'allow r'`).
    ///
    /// - Throws: `.unavailable` (no answer in time, or one that can't be read), `.locked`, `.closed`.
    public nonisolated(nonsending) func health() async throws(StorageError) -> ClusterHealth {
        try await core.health()
    }

    /// Returns what the pool holds. The cluster counts at intervals of some seconds.
    ///
    /// - Throws: The errors of ``health()``.
    public nonisolated(nonsending) func usage() async throws(StorageError) -> ClusterUsage {
        do throws(PoolFailure) {
            return try await core.pool.usage()
        } catch {
            throw error.readError
        }
    }
}

extension ClusterCore {
    nonisolated(nonsending) func health() async throws(StorageError) -> ClusterHealth {
        let answer: [UInt8]
        do throws(PoolFailure) {
            answer = try await pool.health()
        } catch {
            throw error.readError
        }
        return try ClusterHealth(json: answer)
    }
}
