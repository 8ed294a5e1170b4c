import ShaleBase

/// The sides of a conflict as documents. `nil` stands for a record that does not exist.
struct DocumentSides: Sendable {
    var base: [UInt8]?
    var mine: [UInt8]?
    var theirs: [UInt8]?
    var mineIsLater: Bool

    var later: [UInt8]? { mineIsLater ? mine : theirs }
}

/// The result of a conflict.
struct DocumentMerge: Sendable {
    var document: [UInt8]?
    /// True if a part of a side is not in the result, so that both sides are to be kept.
    var hasLoss: Bool
}

extension DocumentSides {
    /// The result if a side has not changed the record after all; otherwise `nil`.
    var unchangedSide: DocumentMerge? {
        if mine == base { return DocumentMerge(document: theirs, hasLoss: false) }
        if theirs == base { return DocumentMerge(document: mine, hasLoss: false) }
        return nil
    }

    /// The result if both sides are equal; otherwise `nil`.
    var equalSides: DocumentMerge? { mine == theirs ? DocumentMerge(document: theirs, hasLoss: false) : nil }

    var byLastWriter: DocumentMerge { DocumentMerge(document: later, hasLoss: true) }

    /// Merges the members of objects. Everything else is merged as a whole.
    var byField: DocumentMerge {
        get throws(StorageError) {
            guard let mine, let theirs, let own = try JSONObject(mine), let other = try JSONObject(theirs) else {
                return byLastWriter
            }
            let old = try base.flatMap { (base) throws(StorageError) in try JSONObject(base) } ?? JSONObject()
            var result = JSONObject()
            var hasLoss = false
            for name in Set(own.members.keys).union(other.members.keys) {
                let (before, a, b) = (old.members[name], own.members[name], other.members[name])
                if a == b || b == before {
                    result.members[name] = a
                } else if a == before {
                    result.members[name] = b
                } else {
                    result.members[name] = mineIsLater ? a : b
                    hasLoss = true
                }
            }
            return DocumentMerge(document: result.bytes, hasLoss: hasLoss)
        }
    }
}

/// An object whose members are not decoded. Members that are null are left out: to a record they are as if missing.
struct JSONObject: Sendable, Hashable {
    var members: [String: [UInt8]] = [:]

    init() {}

    /// Returns `nil` for JSON that is no object. If a name occurs several times, its last value is used.
    init?(_ document: [UInt8]) throws(StorageError) {
        guard document.first == UInt8(ascii: "{") else { return nil }
        var json = try JSONReader(document)
        try json.object { (name, json) throws(StorageError) in
            if try !json.null() { members[name] = try json.raw() }
        }
    }

    /// The object with its members ordered by the bytes of their names.
    var bytes: [UInt8] {
        JSONWriter.object { json in
            for (name, value) in members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                json.name(name)
                json.raw(value)
            }
        }
    }
}
