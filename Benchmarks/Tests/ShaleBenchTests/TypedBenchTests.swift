import Foundation
import Testing

@testable import ShaleBench

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
