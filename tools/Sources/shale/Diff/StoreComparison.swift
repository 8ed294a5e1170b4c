import Shale
import ShaleEngine

/// A comparison of two stores that were opened for reading, in the order of namespaces and keys.
struct StoreComparison {
    let first: Store
    let second: Store
    /// The only namespace to compare; `nil` means all.
    let path: NamespacePath?
    /// The only user whose namespaces are compared; `nil` means all spaces.
    let user: String?
    let keysOnly: Bool
    /// True if encrypted values can be compared.
    let hasKey: Bool

    func run(_ listing: inout DifferenceListing, _ progress: (UInt64) -> Void) throws {
        let left = namespaces(of: first)
        let right = namespaces(of: second)
        if let path, left.isEmpty, right.isEmpty {
            throw ToolFailure.notFound("neither store has a namespace \(path.text)")
        }
        var compared: UInt64 = 0
        let names = Set(left.keys).union(right.keys).sorted { $0.lexicographicallyPrecedes($1) }
        for name in names where !listing.isFull {
            guard let path = NamespacePath(catalogueName: name) else { continue }
            switch (left[name], right[name]) {
            case (_?, nil): try listing.add(DifferenceRow(.first, path))
            case (nil, _?): try listing.add(DifferenceRow(.second, path))
            case (let one?, let other?):
                if !keysOnly, try first.namespace(path).options != second.namespace(path).options {
                    try listing.add(DifferenceRow(.both, path, differs: ["options"]))
                }
                try compareEntries(path, one, other, &compared, &listing, progress)
            case (nil, nil): break
            }
        }
    }

    /// Returns the namespaces to compare, by the bytes of their names: equal strings may be different names.
    private func namespaces(of store: Store) -> [[UInt8]: NamespaceID] {
        var found: [[UInt8]: NamespaceID] = [:]
        for description in store.engine.namespaces {
            guard let name = NamespacePath(catalogueName: description.name),
                path == nil || path?.catalogueName == description.name,
                user == nil || name.user.map({ Array($0.utf8) }) == user.map({ Array($0.utf8) })
            else { continue }
            found[description.name] = description.id
        }
        return found
    }

    /// Merges the entries of a namespace of both stores. Memory: one block of each.
    private func compareEntries(
        _ path: NamespacePath, _ one: NamespaceID, _ other: NamespaceID, _ compared: inout UInt64,
        _ listing: inout DifferenceListing, _ progress: (UInt64) -> Void
    ) throws {
        var left = try first.engine.cursor(in: one)
        var right = try second.engine.cursor(in: other)
        var hasLeft = try left.next()
        var hasRight = try right.next()
        while hasLeft || hasRight, !listing.isFull {
            compared += 1
            if compared % 1024 == 0 { progress(compared) }
            let order = !hasRight ? -1 : !hasLeft ? 1 : Self.order(left.key, right.key)
            if order < 0 {
                try listing.add(DifferenceRow(.first, path, key: left.key.array))
                hasLeft = try left.next()
            } else if order > 0 {
                try listing.add(DifferenceRow(.second, path, key: right.key.array))
                hasRight = try right.next()
            } else {
                let isSameValue = Self.order(left.value, right.value) == 0
                let isSameInfo = left.info == right.info
                if !keysOnly, !isSameValue || !isSameInfo {
                    let key = left.key.array
                    let differs = try differences(of: key, in: path)
                    if !differs.isEmpty { try listing.add(DifferenceRow(.both, path, key: key, differs: differs)) }
                }
                hasLeft = try left.next()
                hasRight = try right.next()
            }
        }
    }

    /// Returns what differs between two entries whose stored bytes or options are not the same. Only the payloads
    /// count: headers contain times of writing, and equal values are encrypted to different bytes.
    private func differences(of key: [UInt8], in path: NamespacePath) throws -> [String] {
        let left = first.namespace(path)
        let right = second.namespace(path)
        // Both stores were opened for reading and don't change, but an entry may have expired since.
        guard let one = try left.info(forKey: key), let other = try right.info(forKey: key) else { return ["expiry"] }
        var differs: [String] = []
        let isReadable = hasKey || (!one.isEncrypted && !other.isEncrypted)
        if isReadable {
            let values = (try left.payload(forKey: key), try right.payload(forKey: key))
            if values.0?.bytes != values.1?.bytes { differs.append("value") }
            if values.0?.codec != values.1?.codec { differs.append("type") }
        } else {
            // Without a key the value counts as different unless the sealed bytes are equal.
            if try sealedBytes(of: key, in: path, first) != sealedBytes(of: key, in: path, second) {
                differs.append("value")
            }
        }
        if one.expiresAt != other.expiresAt { differs.append("expiry") }
        if one.isPurgeable != other.isPurgeable { differs.append("purgeability") }
        if one.isEncrypted != other.isEncrypted { differs.append("encryption") }
        return differs
    }

    private func sealedBytes(of key: [UInt8], in path: NamespacePath, _ store: Store) throws -> [UInt8]? {
        guard let id = store.identifier(of: path) else { return nil }
        return try store.engine.value(forKey: key, in: id)
    }

    /// Compares bytewise: below, at or above 0 if `one` is before, the same as or after `other`.
    private static func order(_ one: RawSpan, _ other: RawSpan) -> Int {
        unsafe one.withUnsafeBytes { one in
            unsafe other.withUnsafeBytes { other in
                guard let left = one.baseAddress, let right = other.baseAddress else { return one.count - other.count }
                let order = unsafe memcmp(left, right, min(one.count, other.count))
                return order == 0 ? one.count - other.count : Int(order)
            }
        }
    }
}
