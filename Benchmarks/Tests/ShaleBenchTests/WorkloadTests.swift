import Foundation
import Testing

@testable import ShaleBench

struct AssignmentTests {
    @Test("an assignment reaches the child process as it was")
    func roundTrip() throws {
        var assignment = Assignment(
            peer: .rocksdb, entries: 5, seed: 9, directory: "/tmp/x y", steps: [.init(workload: .fillsync, threads: 4)])
        assignment.settings.variant = .zstd
        let copy = try Assignment(encoded: assignment.encoded())
        #expect(copy.peer == .rocksdb && copy.steps == assignment.steps && copy.settings.variant == .zstd)
        #expect(copy.directory == assignment.directory && copy.entries == 5 && copy.seed == 9)
    }

    /// A peer with a variant of its options.
    struct Contestant: Sendable, CustomTestStringConvertible {
        let peer: PeerName
        let variant: PeerSettings.Variant

        var testDescription: String { peer.rawValue + (variant == .standard ? "" : ", " + variant.rawValue) }

        /// All that take part among `peers`.
        static func all(of peers: [PeerName]) -> [Contestant] {
            peers.flatMap { peer in
                PeerSettings.Variant.allCases.filter(peer.has).map { Contestant(peer: peer, variant: $0) }
            }
        }
    }

    @Test("every peer gives back what a small store was given", arguments: Contestant.all(of: PeerName.engines))
    func smoke(contestant: Contestant) throws {
        let peer = contestant.peer
        let directory = FileManager.default.temporaryDirectory.path + "/shale-bench-test.\(UUID().uuidString)"
        let steps: [Workload] = [
            .fillrandom, .readrandom, .readmissing, .multireadrandom, .seekrandom, .readseq, .readreverse, .overwrite,
            .reopen, .readcold, .scancold, .compact, .ycsba, .ycsbduniform, .deleterandom, .fillseq, .fillbatch, .drop,
        ]
        var assignment = Assignment(
            peer: peer, entries: 500, seed: 1, directory: directory, steps: steps.map { .init(workload: $0) })
        assignment.settings.variant = contestant.variant
        var rows: [ResultRow] = []
        try Workbench(assignment, peer.peer(at: directory, assignment.settings)) { rows.append($0) }.run()
        let expected = steps.filter { $0 != .compact || peer != .lmdb }
        #expect(rows.map(\.workload) == expected.map(\.rawValue))
        try FileManager.default.removeItem(atPath: directory)
    }
}

struct NamespaceBenchTests {
    @Test(
        "every peer with keyspaces gives back what they were given",
        arguments: AssignmentTests.Contestant.all(of: [.shale, .rocksdb, .lmdb]))
    func smoke(contestant: AssignmentTests.Contestant) throws {
        let directory = FileManager.default.temporaryDirectory.path + "/shale-bench-test.\(UUID().uuidString)"
        var assignment = Assignment(
            peer: contestant.peer, entries: 7, seed: 1, directory: directory, steps: [.init(workload: .namespaces)])
        assignment.settings.variant = contestant.variant
        assignment.operationsMax = 100
        var rows: [ResultRow] = []
        let peer = try #require(contestant.peer.namespacedPeer(at: directory, assignment.settings, count: 7))
        try NamespaceBench(assignment, peer) { rows.append($0) }.run()
        #expect(rows.map(\.workload) == ["namespacescreate", "namespacesput", "namespacesget"])
        try FileManager.default.removeItem(atPath: directory)
    }
}

struct RecordBenchTests {
    @Test(
        "every peer with indexes gives back the records it was given",
        arguments: AssignmentTests.Contestant.all(of: [.shale, .sqlite, .grdb]).filter(\.variant.isUsual))
    func smoke(contestant: AssignmentTests.Contestant) throws {
        let peer = contestant.peer
        let directory = FileManager.default.temporaryDirectory.path + "/shale-bench-test.\(UUID().uuidString)"
        let steps: [Workload] = [
            .recordinsert, .recordbatch, .recordfind, .recordrange, .recordmodify, .recordcount, .recordopen,
            .recordindex,
        ]
        var assignment = Assignment(
            peer: peer, entries: 2100, seed: 1, directory: directory, steps: steps.map { .init(workload: $0) })
        assignment.settings.variant = contestant.variant
        var rows: [ResultRow] = []
        let records = try #require(peer.recordPeer(at: directory, assignment.settings))
        try RecordBench(assignment, records) { rows.append($0) }.run()
        #expect(rows.filter { $0.peer == peer.rawValue }.map(\.workload) == steps.map(\.rawValue))
        #expect(rows.contains { $0.peer == PlainRecords.name } == (peer == .shale))
        #expect(rows.first { $0.workload == "recordbatch" }?.operations == 2100)
        try FileManager.default.removeItem(atPath: directory)
    }
}

struct TypedBenchTests {
    /// Excludes UserDefaults, which takes over the process's home directory.
    @Test(
        "every peer gives back the typed values it was given",
        arguments: AssignmentTests.Contestant.all(of: PeerName.allCases.filter { $0 != .userdefaults }))
    func smoke(contestant: AssignmentTests.Contestant) throws {
        let peer = contestant.peer
        let directory = FileManager.default.temporaryDirectory.path + "/shale-bench-test.\(UUID().uuidString)"
        let steps: [Workload] = [.typedset, .typedupdate, .typedget, .typedopen]
        var assignment = Assignment(
            peer: peer, entries: 200, seed: 1, directory: directory, steps: steps.map { .init(workload: $0) })
        assignment.settings.variant = contestant.variant
        var rows: [ResultRow] = []
        try TypedBench(assignment, peer.typedPeer(at: directory, assignment.settings)) { rows.append($0) }.run()
        #expect(rows.map(\.workload) == steps.map(\.rawValue).filter { $0 != "typedopen" || peer != .files })
        #expect(rows.allSatisfy { $0.operations == (($0.workload == "typedopen") ? 1 : 200) })
        try FileManager.default.removeItem(atPath: directory)
    }

    @Test("keys of typed values are in the order of their items and of the length that rows state")
    func keys() {
        #expect(TypedKey.key(0) == "key.00000000" && TypedKey.key(12_345_678) == "key.12345678")
        #expect(TypedKey.key(9).utf8.count == TypedKey.byteCount)
    }
}
