import TestSupport
import Testing

@testable import ShaleNodes

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
            try root.child(named: a).set("a", forKey: "k")
            #expect(try root.child(named: b).keys() == [])
            try root.child(named: b).child(named: a).set("ba", forKey: "k")
            try root.child(named: b).set("b", forKey: "k")
            func values() throws -> [String?] {
                let nodes = [root.child(named: a), root.child(named: b), root.child(named: b).child(named: a)]
                return try nodes.map { try $0.value(forKey: "k", as: String.self) }
            }
            #expect(try values() == ["a", "b", "ba"])
            try root.child(named: a).clearHierarchy()
            #expect(try values() == [nil, "b", "ba"])
            try root.child(named: a).set("a", forKey: "k")
            try root.child(named: b).clear()
            #expect(try values() == ["a", nil, "ba"])
            // After the clearing, the other name comes first.
            try root.clearHierarchy()
            #expect(try values() == [nil, nil, nil])
            try root.child(named: b).set("b", forKey: "k")
            #expect(try values() == [nil, "b", nil])
        }
    }
}
