package import ShaleBase

/// A namespace in the catalogue. `name` and `options` are bytes of the layer above; the engine only compares names.
package struct NamespaceRecord: Sendable, Equatable {
    package let id: NamespaceID
    package let name: [UInt8]
    package var options: [UInt8]
    package var truncatedThrough: SequenceNumber
    package var purgedThrough: SequenceNumber

    package init(
        id: NamespaceID, name: [UInt8], options: [UInt8], truncatedThrough: SequenceNumber = 0,
        purgedThrough: SequenceNumber = 0
    ) {
        self.id = id
        self.name = name
        self.options = options
        self.truncatedThrough = truncatedThrough
        self.purgedThrough = purgedThrough
    }
}

/// The live namespaces. Names are unique; ids are never reused.
package struct Catalogue: Sendable {
    package private(set) var records: [NamespaceID: NamespaceRecord] = [:]
    private var names: [[UInt8]: NamespaceID] = [:]
    package var nextID: UInt32 = 1

    package init() {}

    package func record(named name: [UInt8]) -> NamespaceRecord? { names[name].flatMap { records[$0] } }

    package mutating func insert(_ record: NamespaceRecord) throws(ParseFailure) {
        guard records[record.id] == nil, names[record.name] == nil else {
            throw ParseFailure("a namespace is created twice")
        }
        guard record.id.rawValue < nextID, record.id.rawValue > 0 else {
            throw ParseFailure("a namespace id was never allocated")
        }
        records[record.id] = record
        names[record.name] = record.id
    }

    package mutating func remove(_ id: NamespaceID) throws(ParseFailure) {
        guard let record = records.removeValue(forKey: id) else {
            throw ParseFailure("an unknown namespace is dropped")
        }
        names.removeValue(forKey: record.name)
    }

    package mutating func update(
        _ id: NamespaceID, _ change: (inout NamespaceRecord) -> Void
    ) throws(ParseFailure) {
        guard var record = records[id] else { throw ParseFailure("an unknown namespace is changed") }
        change(&record)
        records[id] = record
    }
}
