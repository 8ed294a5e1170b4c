import Shale
import ShaleBase
import ShaleCluster
import ShaleEngine
import ShalePlatform
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The back ends that the conformance suite runs against.
enum Backend: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// A namespace of a store in memory.
    case embedded
    /// A namespace on a simulated pool.
    case simulated
    /// A namespace on the cluster that the environment names.
    case rados

    var testDescription: String { rawValue }

    /// The back ends that can run here.
    static var available: [Backend] { ClusterFixture.hasCluster ? allCases : [.embedded, .simulated] }
}

/// The rows of the conformance suite: each states a promise for every back end.
protocol ConformanceRow: Sendable {
    /// The layout of the namespace on a cluster.
    static var layout: ClusterLayout { get }

    static func check(_ namespace: some AsyncNamespace, _ time: ManualTime) async throws
}

extension ConformanceRow {
    static var layout: ClusterLayout { ClusterLayout(shards: 4, partitioning: .separator(UInt8(ascii: "/"))) }

    /// Checks the row against an empty namespace of a back end.
    static func run(_ backend: Backend) async throws {
        switch backend {
        case .embedded: try await runEmbedded()
        case .simulated:
            let fixture = try ClusterFixture()
            let namespace = try await fixture.store.createNamespace("rows", layout: layout)
            try await check(namespace, fixture.time)
        case .rados:
            #if RADOS
                try await ClusterUse.ofCluster.with { try await runOnCluster() }
            #else
                Issue.record("the tests were built without the trait RADOS")
            #endif
        }
    }

    #if RADOS
        private static func runOnCluster() async throws {
            let time = ManualTime()
            let store = try await ClusterFixture.open(time: time)
            let name = "rows-\(UUID().uuidString)"
            let namespace = try await store.createNamespace(name, layout: layout)
            try await check(namespace, time)
            try await store.dropNamespace(name)
            await store.close()
        }
    #endif

    private static func runEmbedded() async throws {
        let time = ManualTime()
        var options = Store.Options()
        options.engine.time = time
        options.engine.syncInterval = nil
        let store = try Store.inMemory(options: options)
        let defaults = NamespaceOptions(isPurgeable: layout.isPurgeable, timeToLive: layout.timeToLive)
        let namespace = store.common["rows"]
        if defaults != .standard { try namespace.setOptions(defaults) }
        try await check(EmbeddedNamespace(namespace, in: store), time)
        try await store.close()
    }
}

/// A store over a simulated pool.
struct ClusterFixture {
    let pool = SimulatedPool()
    let time = ManualTime()
    let store: ClusterStore

    init() throws { store = try ClusterFixture.client(of: pool, time) }

    /// Returns another client of a pool. If it is hasty, its passes wait seconds for clocks and writers.
    static func client(
        of pool: SimulatedPool, _ time: ManualTime, isHasty: Bool = false
    ) throws -> ClusterStore {
        var options = ClusterStore.Options()
        options.time = time
        if isHasty {
            options.clockTolerance = .seconds(1)
            options.writeTolerance = .seconds(2)
        }
        return try ClusterStore(pool, options: options)
    }

    /// The configuration of the cluster to test with: `tools/cluster up` prints it.
    static var configuration: String? { ProcessInfo.processInfo.environment["SHALE_CLUSTER_CONFIGURATION"] }

    /// True if the tests were built with the trait `RADOS` and the environment names a cluster.
    static var hasCluster: Bool {
        #if RADOS
            configuration != nil
        #else
            false
        #endif
    }

    #if RADOS
        /// Connects to the cluster, in a test that uses it: ``ClusterUse``.
        static func open(
            time: any TimeSource = SystemTime(), timeout: Duration = .seconds(60), encryption: StoreEncryption? = nil
        ) async throws -> ClusterStore {
            try #require(ClusterUse.hasBegun, "a test connects to the cluster within a use of it")
            var connection = ClusterConnection(pool: "shale")
            connection.configuration = configuration
            connection.user = "shale"
            connection.timeout = timeout
            var options = ClusterStore.Options()
            options.time = time
            options.encryption = encryption
            return try await ClusterStore.open(connection, options: options)
        }
    #endif
}
