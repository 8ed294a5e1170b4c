import ShaleNodes
import ShaleSimulation
import Testing

/// Two names with the same hash, and a crash at any call.
///
/// Neither name gets a value of the other, and no returned write is lost.
@Suite struct CollidingNameCrashTests {
    /// The writes in order: a node and a key, with the index as value; `nil` clears the whole tree.
    private static let steps: [(node: Int, key: Int)?] = [
        (0, 0), (1, 0), (1, 1), (0, 1), nil, (1, 1), (0, 1), (0, 0), nil, (0, 1), (1, 0),
    ]

    private static func storage(_ node: Int, _ root: FileStorage) -> FileStorage {
        root.child(named: collidingNames[node])
    }

    @Test func noneTakesTheOthersPlace() throws {
        let files = SimulatedFileSystem(seed: 9)
        let root = try FileStorage(at: "/tree", files)
        var done = 0
        let crashes = try files.crashes(mark: { done }) {
            for step in Self.steps {
                if let step {
                    try Self.storage(step.node, root).set(
                        [step.node, step.key, done], forKey: collidingNames[step.key])
                } else {
                    try root.clearHierarchy()
                }
                done += 1
            }
        }
        #expect(crashes.count > 300)
        #expect(crashes.failures { try Self.verify($0) } == [])
    }

    /// The mark is the number of returned steps.
    private static func verify(_ crash: RecordedCrash<Int>) throws {
        let root = try FileStorage(at: "/tree", crash.files)
        let cleared = steps.prefix(crash.mark).lastIndex { $0 == nil } ?? -1
        let isClearing = crash.mark < steps.count && steps[crash.mark] == nil
        for (node, key) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let value = try storage(node, root).value(forKey: collidingNames[key], as: [Int].self)
            let written = steps.indices.last { index in
                guard let step = steps[index] else { return false }
                return index > cleared && index < crash.mark && step.node == node && step.key == key
            }
            let last = written.map { [node, key, $0] }
            #expect(
                value == last || value == [node, key, crash.mark] || (isClearing && value == nil),
                "\(crash.place): \(String(describing: value)) for \(String(describing: last))")
        }
        try storage(1, root).set([7], forKey: "k")
        try root.clearHierarchy()
        #expect(try storage(1, root).keys() == [] && storage(0, root).keys() == [])
    }
}
