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

    @Test("every peer gives back what a small store was given", arguments: PeerName.engines)
    func smoke(peer: PeerName) throws {
        let directory = FileManager.default.temporaryDirectory.path + "/shale-bench-test.\(UUID().uuidString)"
        let steps: [Workload] = [
            .fillrandom, .readrandom, .readmissing, .multireadrandom, .seekrandom, .readseq, .readreverse, .overwrite,
            .reopen, .compact, .ycsba, .deleterandom, .fillbatch, .drop,
        ]
        let assignment = Assignment(
            peer: peer, entries: 500, seed: 1, directory: directory, steps: steps.map { .init(workload: $0) })
        var rows: [ResultRow] = []
        try Workbench(assignment, peer.peer(at: directory, assignment.settings)) { rows.append($0) }.run()
        let expected = steps.filter { $0 != .compact || peer != .lmdb }
        #expect(rows.map(\.workload) == expected.map(\.rawValue))
        try FileManager.default.removeItem(atPath: directory)
    }
}

struct RecordBenchTests {
    @Test("every peer with indexes gives back the records it was given", arguments: [PeerName.shale, .sqlite, .grdb])
    func smoke(peer: PeerName) throws {
        let directory = FileManager.default.temporaryDirectory.path + "/shale-bench-test.\(UUID().uuidString)"
        let steps: [Workload] = [
            .recordinsert, .recordbatch, .recordfind, .recordrange, .recordmodify, .recordcount, .recordopen,
            .recordindex,
        ]
        let assignment = Assignment(
            peer: peer, entries: 2100, seed: 1, directory: directory, steps: steps.map { .init(workload: $0) })
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
        arguments: PeerName.allCases.filter { $0 != .userdefaults })
    func smoke(peer: PeerName) throws {
        let directory = FileManager.default.temporaryDirectory.path + "/shale-bench-test.\(UUID().uuidString)"
        let steps: [Workload] = [.typedset, .typedupdate, .typedget, .typedopen]
        let assignment = Assignment(
            peer: peer, entries: 200, seed: 1, directory: directory, steps: steps.map { .init(workload: $0) })
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
