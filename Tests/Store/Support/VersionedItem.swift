import Shale

/// Version 1 of the type that the tests migrate.
struct ItemV1: Codable, Sendable, Equatable {
    var name: String
    var count: Int
}

/// Version 2: the count has another name and unit.
struct ItemV2: Codable, Sendable, Equatable {
    var name: String
    var tenths: Int
}

/// Version 3. A value that was migrated twice has another number of tenths.
struct Item: Codable, Sendable, Equatable {
    var name: String
    var tenths: Int
    var tags: [String]

    struct Refusal: Error {}

    /// The codec of an earlier build, which knows only version 1.
    static let first = VersionedCodec(ItemV1.self)
    static let second = first.then(ItemV2.self) { item in
        guard item.name != "refused" else { throw Refusal() }
        return ItemV2(name: item.name, tenths: item.count * 10)
    }
    static let codec = second.then(Item.self) { Item(name: $0.name, tenths: $0.tenths + 1, tags: ["old"]) }

    /// Returns the item that `ItemV1(name:count:)` becomes.
    static func migrated(_ name: String, _ count: Int) -> Item {
        Item(name: name, tenths: count * 10 + 1, tags: ["old"])
    }
}

extension NamespaceReader {
    /// Returns the number of the version that a value is stored with; `nil` for a plain value.
    func storedVersion(forKey key: String) throws(StorageError) -> Int? {
        guard case .versioned(let version, _) = try object(forKey: key) else { return nil }
        return version
    }
}
