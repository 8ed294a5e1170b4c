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
