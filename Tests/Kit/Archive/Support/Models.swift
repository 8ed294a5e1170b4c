import Foundation
import ShaleFoundation
import Testing

/// Classes at the top level, because Foundation on Linux can't name nested classes.
class Animal: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    let name: String
    init(name: String) { self.name = name }

    required init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
        self.name = name as String
    }

    func encode(with coder: NSCoder) { coder.encode(name as NSString, forKey: "name") }
}

final class Dog: Animal {
    let legs: Int
    init(name: String, legs: Int) {
        self.legs = legs
        super.init(name: name)
    }

    required init?(coder: NSCoder) {
        legs = coder.decodeInteger(forKey: "legs")
        super.init(coder: coder)
    }

    override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(legs, forKey: "legs")
    }
}

/// A class with a property of every type that archives support.
final class Everything: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    var integer = Int64.min
    var real = 0.1
    var single = Float(1.5)
    var flag = true
    var small = Int32(-7)
    var bytes: [UInt8] = [1, 2, 255]
    var text: NSString = "t€xt"
    var mutable = NSMutableString(string: "m")
    var data = Data([0, 9])
    var date = Date(timeIntervalSinceReferenceDate: 7.25)
    var uuid = UUID()
    var url = URL(string: "https://example.org/a?b#c")
    var numbers: [NSNumber] = [1, 2.5, true, NSNumber(value: UInt64.max)]
    var words: Set<String> = ["a", "b"]
    var ordered = NSOrderedSet(array: ["z", "a"])
    var table: NSDictionary = ["k": [1, 2], 5: "five", "null": NSNull()]
    var absent: NSString?
    var owner: Animal? = Dog(name: "rex", legs: 4)
    var pack: [Animal] = []

    override init() {
        super.init()
        if let owner { pack = [owner, owner, Animal(name: "cat")] }
    }

    func encode(with coder: NSCoder) {
        coder.encode(integer, forKey: "integer")
        coder.encode(real, forKey: "real")
        coder.encode(single, forKey: "single")
        coder.encode(flag, forKey: "flag")
        coder.encode(small, forKey: "small")
        unsafe bytes.withUnsafeBufferPointer {
            unsafe coder.encodeBytes($0.baseAddress, length: $0.count, forKey: "bytes")
        }
        coder.encode(text, forKey: "text")
        coder.encode(mutable, forKey: "mutable")
        coder.encode(data as NSData, forKey: "data")
        coder.encode(date as NSDate, forKey: "date")
        coder.encode(uuid as NSUUID, forKey: "uuid")
        coder.encode(url.map { $0 as NSURL }, forKey: "url")
        coder.encode(NSArray(array: numbers), forKey: "numbers")
        coder.encode(NSSet(array: words.sorted()), forKey: "words")
        coder.encode(ordered, forKey: "ordered")
        coder.encode(table, forKey: "table")
        coder.encode(absent, forKey: "absent")
        coder.encode(owner, forKey: "owner")
        coder.encode(NSArray(array: pack), forKey: "pack")
        coder.encode(NSNumber(value: 12), forKey: "$dollar")
    }

    required init?(coder: NSCoder) {
        integer = coder.decodeInt64(forKey: "integer")
        real = coder.decodeDouble(forKey: "real")
        single = coder.decodeFloat(forKey: "single")
        flag = coder.decodeBool(forKey: "flag")
        small = coder.decodeInt32(forKey: "small")
        bytes = unsafe coder.withDecodedUnsafeBytes(forKey: "bytes") { unsafe $0.map { unsafe [UInt8]($0) } ?? [] }
        guard let text = coder.decodeObject(of: NSString.self, forKey: "text"),
            let mutable = coder.decodeObject(of: NSMutableString.self, forKey: "mutable"),
            let data = coder.decodeObject(of: NSData.self, forKey: "data"),
            let date = coder.decodeObject(of: NSDate.self, forKey: "date"),
            let uuid = coder.decodeObject(of: NSUUID.self, forKey: "uuid"),
            let url = coder.decodeObject(of: NSURL.self, forKey: "url"),
            let numbers = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: "numbers") as? [NSNumber],
            let words = coder.decodeObject(of: [NSSet.self, NSString.self], forKey: "words") as? Set<String>,
            let ordered = coder.decodeObject(of: NSOrderedSet.self, forKey: "ordered"),
            let table = coder.decodeObject(of: NSDictionary.self, forKey: "table"),
            let pack = coder.decodeObject(of: [NSArray.self, Animal.self], forKey: "pack") as? [Animal],
            coder.decodeInteger(forKey: "$dollar") == 12, coder.containsValue(forKey: "absent"),
            !coder.containsValue(forKey: "nothing"), coder.decodeInteger(forKey: "nothing") == 0
        else { return nil }
        self.text = text
        self.mutable = mutable
        self.data = data as Data
        self.date = date as Date
        self.uuid = uuid as UUID
        self.url = url as URL
        self.numbers = numbers
        self.words = words
        self.ordered = ordered
        self.table = table
        absent = coder.decodeObject(of: NSString.self, forKey: "absent")
        owner = coder.decodeObject(of: Animal.self, forKey: "owner")
        self.pack = pack
    }
}

/// A class that decodes another class than it encoded, as a new version of an application might.
final class Confused: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    let pet: Animal?
    init(pet: Animal?) { self.pet = pet }

    required init?(coder: NSCoder) { pet = coder.decodeObject(of: Dog.self, forKey: "pet") }

    func encode(with coder: NSCoder) { coder.encode(pet, forKey: "pet") }
}

/// A class whose objects may contain themselves.
final class Chain: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    var next: Chain?
    override init() {}

    required init?(coder: NSCoder) { next = coder.decodeObject(of: Chain.self, forKey: "next") }

    func encode(with coder: NSCoder) { coder.encode(next, forKey: "next") }

    static func ofLength(_ length: Int) -> Chain {
        (1..<length).reduce(Chain()) { inner, _ in
            let chain = Chain()
            chain.next = inner
            return chain
        }
    }
}

/// A store in a temporary directory that is removed with the fixture.
final class ArchiveFixture {
    private let path = FileManager.default.temporaryDirectory.path + "/shale-archives-\(UUID().uuidString)"
    let store: Store
    var namespace: Store.Namespace { store.common["n"] }

    init() throws {
        store = try Store(at: path)
    }

    deinit {
        do {
            try store.close()
            try FileManager.default.removeItem(atPath: path)
        } catch {
            Issue.record("could not remove \(path): \(error)")
        }
    }
}
