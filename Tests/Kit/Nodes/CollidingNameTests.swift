import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleKit

/// Long names are found by a hash, for which an attacker can make collisions. Colliding names stay
/// two keys and two nodes.
@Suite struct CollidingNameTests {
    private let a = collidingNames[0]
    private let b = collidingNames[1]

    @Test func theirHashIsOne() {
        #expect(a != b && a.utf8.count == 10_000 && b.utf8.count == 10_000)
        #expect(NameBucket.hash(Array(a.utf8)) == NameBucket.hash(Array(b.utf8)))
    }

    @Test func twoKeysStayApart() throws {
        try NodeFixture().forEach { (root) throws in
            try root.set("a", forKey: a)
            #expect(try !root.contains(b) && root.value(forKey: b, as: String.self) == nil)
            try root.remove(b)
            try root.set("b", forKey: b)
            #expect(try root.value(forKey: a, as: String.self) == "a" && root.value(forKey: b, as: String.self) == "b")
            #expect(try root.keys() == [a, b])
            try root.set("c", forKey: a)
            try root.remove(a)
            #expect(try root.value(forKey: a, as: String.self) == nil && root.value(forKey: b, as: String.self) == "b")
            #expect(try root.keys() == [b])
            try root.remove(b)
            #expect(try root.keys() == [] && !root.contains(b))
        }
    }

    @Test func twoNodesStayApart() throws {
        try NodeFixture().forEach { (root) throws in
            try root.child(a).set("a", forKey: "k")
            #expect(try root.child(b).keys() == [])
            try root.child(b).child(a).set("ba", forKey: "k")
            try root.child(b).set("b", forKey: "k")
            func values() throws -> [String?] {
                let nodes = [root.child(a), root.child(b), root.child(b).child(a)]
                return try nodes.map { try $0.value(forKey: "k", as: String.self) }
            }
            #expect(try values() == ["a", "b", "ba"])
            try root.child(a).truncateSubtree()
            #expect(try values() == [nil, "b", "ba"])
            try root.child(a).set("a", forKey: "k")
            try root.child(b).truncate()
            #expect(try values() == ["a", nil, "ba"])
            // After the clearing, the other name comes first.
            try root.truncateSubtree()
            #expect(try values() == [nil, nil, nil])
            try root.child(b).set("b", forKey: "k")
            #expect(try values() == [nil, "b", nil])
        }
    }
}

/// Two names with the same hash, and a crash at any call.
///
/// Neither name gets a value of the other, and no returned write is lost.
@Suite struct CollidingNameCrashTests {
    /// The writes in order: a node and a key, with the index as value; `nil` clears the whole tree.
    private static let steps: [(node: Int, key: Int)?] = [
        (0, 0), (1, 0), (1, 1), (0, 1), nil, (1, 1), (0, 1), (0, 0), nil, (0, 1), (1, 0),
    ]

    private static func storage(_ node: Int, _ root: FileStorage) -> FileStorage {
        root.child(collidingNames[node])
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
                    try root.truncateSubtree()
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
        try root.truncateSubtree()
        #expect(try storage(1, root).keys() == [] && storage(0, root).keys() == [])
    }
}

/// Two names of 10 000 bytes with the same XXH3 hash.
///
/// An attacker makes them as follows:
/// 1. In two stripes, half of a lane equals half of that lane's secret, so that the lane's product is zero.
/// 2. The other half of the lane then only counts in a sum.
/// 3. Exchanging two letters between the two stripes does not change the sum.
let collidingNames: [String] = ["ab", "ba"].map { letters in
    let letters = Array(letters.utf8)
    var bytes = [UInt8](repeating: UInt8(ascii: "n"), count: 10_000)
    // Lane 3 of stripes 0 and 4: words 3 and 7 of the secret, whose upper halves are text with a byte before them.
    bytes[24] = letters[0]
    bytes.replaceSubrange(27..<32, with: [0xe0, 0xb7, 0xb3, 0x67, 0x1f])
    bytes[280] = letters[1]
    bytes.replaceSubrange(283..<288, with: [0xc2, 0x81, 0x3a, 0x26, 0x4c])
    return String(decoding: bytes, as: UTF8.self)
}
