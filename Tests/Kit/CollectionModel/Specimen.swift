import ShaleCollections

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A record with fields of all kinds. A drawn schema uses some of them.
struct Specimen: Codable, Sendable {
    var id = 0
    var code = ""
    var integer: Int?
    var unsigned: UInt64?
    var text: String?
    var note: String?
    var real: Double?
    var small: Float?
    var blob: [UInt8]?
    var flag: Bool?
    var day: Date?
    var mark: UUID?

    /// The values in the order of ``SpecimenField/all``.
    var cells: [Cell] {
        [
            .integer(Int64(id)), .text(Array(code.utf8)), integer.map { .integer(Int64($0)) } ?? .null,
            unsigned.map { .unsigned($0) } ?? .null, text.map { .text(Array($0.utf8)) } ?? .null,
            note.map { .text(Array($0.utf8)) } ?? .null, real.map { Cell($0) } ?? .null,
            small.map { Cell(Double($0)) } ?? .null, blob.map { .bytes($0) } ?? .null, flag.map { .flag($0) } ?? .null,
            day.map { .day($0.timeIntervalSinceReferenceDate.bitPattern) } ?? .null,
            mark.map { .mark(Specimen.bytes($0)) } ?? .null,
        ]
    }

    private static func bytes(_ uuid: UUID) -> [UInt8] {
        let u = uuid.uuid
        return [
            u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7, u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15,
        ]
    }

    /// The migration from a version to the next one. It leaves keys as they are.
    static func migrated(_ old: Specimen, from version: Int) -> Specimen {
        var new = old
        switch version % 4 {
        case 0: if old.note == nil { new.text = nil }
        case 1: new.integer = old.integer.map { $0 &+ 1 }
        case 2: new.real = old.real.map { -$0 }
        default: new.flag = old.flag.map { !$0 }
        }
        return new
    }

    static func codec(_ version: Int) -> VersionedCodec<Specimen> {
        (1..<version).reduce(VersionedCodec(Specimen.self)) { (codec, version) in
            codec.then(Specimen.self) { migrated($0, from: version) }
        }
    }
}

/// A field that a schema may have.
struct SpecimenField: Sendable {
    let name: String
    let field: @Sendable (FieldConstraint) -> RecordField<Specimen>
    let ascending: RecordOrder<Specimen>
    let descending: RecordOrder<Specimen>

    private init<Value: FieldValue>(_ name: String, _ path: any KeyPath<Specimen, Value> & Sendable) {
        self.name = name
        field = { RecordField(name, path, $0) }
        ascending = .ascending(path)
        descending = .descending(path)
    }

    func order(_ isDescending: Bool) -> RecordOrder<Specimen> { isDescending ? descending : ascending }

    static let id = 0
    static let code = 1
    static let integer = 2
    static let unsigned = 3
    static let text = 4
    static let note = 5
    static let real = 6
    static let small = 7
    static let blob = 8
    static let flag = 9
    static let day = 10
    static let mark = 11

    static let all = [
        SpecimenField("id", \.id), SpecimenField("code", \.code), SpecimenField("integer", \.integer),
        SpecimenField("unsigned", \.unsigned), SpecimenField("text", \.text), SpecimenField("note", \.note),
        SpecimenField("real", \.real), SpecimenField("small", \.small), SpecimenField("blob", \.blob),
        SpecimenField("flag", \.flag), SpecimenField("day", \.day), SpecimenField("mark", \.mark),
    ]
}
