import Shale
import ShalePlatform
import TestSupport
import Testing

/// Random operations on a store and on a dictionary, which must always agree.
@Suite struct StoreModelTests {
    struct Expected: Equatable {
        var value: StoredValue
        var isPurgeable: Bool
        var expiresAt: Int64?
    }

    /// The expected content of the store, by namespace and key.
    struct Model {
        var spaces: [Store.Namespace: [String: Expected]] = [:]

        func live(_ namespace: Store.Namespace, _ now: Int64) -> [String: Expected] {
            (spaces[namespace] ?? [:]).filter { $0.value.expiresAt.map { $0 > now } ?? true }
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64], [false, true])
    func theStoreAgreesWithADictionary(seed: UInt64, isInMemory: Bool) throws {
        let random = SeededRandom(seed: seed)
        let fixture = try StoreFixture(isSmall: true, isInMemory: isInMemory)
        var model = Model()
        var places: [(StoreFixture) -> Store.Namespace] = []
        for user in [nil, "u", "v"] {
            let space: @Sendable (StoreFixture) -> Store.Space = { user.map($0.store.user) ?? $0.store.common }
            places += [{ space($0)["a"] }, { space($0)["a"].child("b") }, { space($0)["ab"] }]
        }
        for step in 0..<6000 {
            let namespace = places[random.below(places.count)](fixture)
            let key = "key \(random.below(60))"
            let now = fixture.time.wallMilliseconds
            let context: Comment = "seed \(seed) step \(step)"
            switch random.below(100) {
            case 0..<45: try set(random, namespace, key, now, &model)
            case 45..<55:
                try namespace.remove(key)
                model.spaces[namespace]?[key] = nil
            case 55..<80:
                #expect(try namespace.object(forKey: key) == model.live(namespace, now)[key]?.value, context)
            case 80..<84: try check(namespace, model, now, random, context)
            case 84..<88: try batch(random, fixture, places, now, &model)
            case 88..<90:
                let count = model.live(namespace, now).keys.count { $0.hasPrefix("key 1") }
                #expect(try namespace.removeAll(prefix: "key 1") == count, context)
                model.spaces[namespace] = model.spaces[namespace]?.filter { !$0.key.hasPrefix("key 1") }
            case 90..<93:
                try fixture.store.purgeNow(.subtree(namespace))
                purge(&model) {
                    $0 == namespace || ($0.space == namespace.space && $0.path.starts(with: namespace.path))
                }
            case 93: try erase(random, fixture, namespace, &model)
            case 94..<97: fixture.time.advance(milliseconds: UInt64(random.below(2000)))
            case 97:
                try fixture.store.purge()
                purge(&model) { _ in true }
            case 98: try fixture.store.engine.flush()
            default:
                let old = model.spaces
                try fixture.reopen()
                model.spaces = [:]
                for (place, entries) in old { model.spaces[same(place, in: fixture)] = entries }
            }
        }
        for place in places {
            try check(place(fixture), model, fixture.time.wallMilliseconds, random, "seed \(seed) at the end")
        }
    }

    private func same(_ place: Store.Namespace, in fixture: StoreFixture) -> Store.Namespace {
        let space = place.space.userID.map { fixture.store.user($0) } ?? fixture.store.common
        return place.path.dropFirst().reduce(space[place.path[0]]) { $0.child($1) }
    }

    private func options(_ random: SeededRandom, _ now: Int64) -> (ValueOptions, Bool, Int64?) {
        let isPurgeable = random.chance(0.4)
        guard random.chance(0.2) else { return (isPurgeable ? .purgeable : [], isPurgeable, nil) }
        let life = Int64(random.below(3000))
        let expiry = ValueOptions.expires(after: .milliseconds(life))
        return (isPurgeable ? [.purgeable, expiry] : expiry, isPurgeable, now + life)
    }

    private func set(
        _ random: SeededRandom, _ namespace: Store.Namespace, _ key: String, _ now: Int64, _ model: inout Model
    ) throws {
        let (options, isPurgeable, expiresAt) = options(random, now)
        let number = Int64(bitPattern: random.next())
        let value: StoredValue
        switch random.below(5) {
        case 0:
            try namespace.set(number, forKey: key, options: options)
            value = .int(number)
        case 1:
            let text = String(repeating: "text \(number) ", count: random.below(80))
            try namespace.set(text, forKey: key, options: options)
            value = .string(text)
        case 2:
            try namespace.set(number < 0, forKey: key, options: options)
            value = .bool(number < 0)
        case 3:
            try namespace.set(["n": number], forKey: key, as: .json, options: options)
            value = .json(.dictionary(["n": .int(number)]))
        default:
            try namespace.set([number], forKey: key, as: .propertyList, options: options)
            value = .propertyList(.array([.int(number)]))
        }
        model.spaces[namespace, default: [:]][key] = Expected(
            value: value, isPurgeable: isPurgeable, expiresAt: expiresAt)
    }

    private func batch(
        _ random: SeededRandom, _ fixture: StoreFixture, _ places: [(StoreFixture) -> Store.Namespace], _ now: Int64,
        _ model: inout Model
    ) throws {
        let isCommitted = random.chance(0.8)
        var next = model
        let found = code { () throws(StorageError) in
            try fixture.store.write { (batch) throws(StorageError) in
                for _ in 0...random.below(8) {
                    let namespace = places[random.below(places.count)](fixture)
                    let key = "key \(random.below(60))"
                    let (options, isPurgeable, expiresAt) = options(random, now)
                    try batch.set(random.below(100), forKey: key, in: namespace, options: options)
                    try batch.set(key, forKey: key, in: namespace, options: options)
                    next.spaces[namespace, default: [:]][key] = Expected(
                        value: .string(key), isPurgeable: isPurgeable, expiresAt: expiresAt)
                }
                if !isCommitted { throw StorageError(.cancelled, "no") }
            }
        }
        #expect(found == (isCommitted ? nil : .cancelled))
        if isCommitted { model = next }
    }

    private func purge(_ model: inout Model, _ isInside: (Store.Namespace) -> Bool) {
        for place in model.spaces.keys where isInside(place) {
            model.spaces[place] = model.spaces[place]?.filter { !$0.value.isPurgeable }
        }
    }

    private func erase(
        _ random: SeededRandom, _ fixture: StoreFixture, _ namespace: Store.Namespace, _ model: inout Model
    ) throws {
        switch random.below(5) {
        case 0:
            try namespace.drop()
            model.spaces[namespace] = nil
        case 1, 2:
            try namespace.truncate()
            model.spaces[namespace] = nil
        case 3:
            try namespace.dropSubtree()
            model.spaces = model.spaces.filter {
                !($0.key.space == namespace.space && $0.key.path.starts(with: namespace.path))
            }
        default:
            guard let user = namespace.space.userID else { return }
            try fixture.store.removeUser(user)
            model.spaces = model.spaces.filter { $0.key.space.userID != user }
        }
    }

    private func check(
        _ namespace: Store.Namespace, _ model: Model, _ now: Int64, _ random: SeededRandom, _ context: Comment
    ) throws {
        let live = model.live(namespace, now)
        let isReversed = random.chance(0.5)
        let keys = live.keys.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        let scan = isReversed ? namespace.entries.reversed() : namespace.entries
        let found = try scan.array()
        #expect(found.map(\.key.description) == (isReversed ? keys.reversed() : keys), context)
        for entry in found {
            let expected = live[entry.key.description]
            #expect(try entry.object() == expected?.value, context)
            #expect(try entry.info().isPurgeable == expected?.isPurgeable, context)
        }
        let bound = "key \(random.below(60))"
        let below = keys.filter { Array($0.utf8).lexicographicallyPrecedes(Array(bound.utf8)) }
        #expect(try namespace.keys(in: ..<bound).array().map(\.description) == below, context)
    }
}
