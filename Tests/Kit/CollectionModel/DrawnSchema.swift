import ShaleCollections
import ShalePlatform

/// A schema that was drawn, in a form that the model can interpret.
struct DrawnSchema: Sendable {
    enum Key: Sendable { case id, code, generated }

    struct Index: Sendable {
        let name: String
        let columns: [(field: Int, isDescending: Bool)]
        let isUnique: Bool
    }

    let key: Key
    private(set) var version = 1
    /// Positions in ``SpecimenField/all``, ascending.
    private(set) var fields: [Int]
    private var constraints: [Int: FieldConstraint]
    private(set) var indexes: [Index] = []
    /// True if indexes contain hashes although the namespace does not encrypt.
    let hidesValues: Bool
    private var nextIndex = 0

    init(_ random: SeededRandom, hidesValues: Bool) {
        key = [.id, .id, .code, .generated][random.below(4)]
        self.hidesValues = hidesValues
        (fields, constraints) = DrawnSchema.draw(random)
        changeIndexes(random)
    }

    private static func draw(_ random: SeededRandom) -> ([Int], [Int: FieldConstraint]) {
        let fields = [0, 1] + (2..<SpecimenField.all.count).filter { _ in random.below(10) < 6 }
        var constraints: [Int: FieldConstraint] = [:]
        for field in fields.dropFirst(2) {
            let draw = random.below(20)
            constraints[field] = draw < 2 ? .unique : draw == 2 ? .uniqueAndNotNull : draw < 5 ? .notNull : nil
        }
        return (fields, constraints)
    }

    /// Removes some indexes and adds others.
    mutating func changeIndexes(_ random: SeededRandom) {
        indexes.removeAll { _ in random.below(2) == 0 }
        for _ in 0..<(1 + random.below(3)) where indexes.count < 4 {
            var columns: [(field: Int, isDescending: Bool)] = []
            for _ in 0...random.below(3) {
                let field = fields[random.below(fields.count)]
                if columns.contains(where: { $0.field == field }) { continue }
                columns.append((field, random.below(3) == 0))
            }
            indexes.append(Index(name: "i\(nextIndex)", columns: columns, isUnique: random.below(6) == 0))
            nextIndex += 1
        }
    }

    /// Makes the next version, with other fields and constraints.
    mutating func nextVersion(_ random: SeededRandom) {
        version += 1
        (fields, constraints) = DrawnSchema.draw(random)
        let fields = fields
        indexes.removeAll { $0.columns.contains { !fields.contains($0.field) } }
        changeIndexes(random)
    }

    func constraint(_ field: Int) -> FieldConstraint { constraints[field] ?? .none }

    /// The fields in which records with one value exclude each other, with the name that a violation has.
    var uniqueSets: [(name: String, fields: [Int])] {
        let explicit = indexes.filter(\.isUnique).map { ($0.name, $0.columns.map(\.field)) }
        return explicit + fields.filter { constraint($0).isUnique }.map { (SpecimenField.all[$0].name, [$0]) }
    }

    var requiredFields: [Int] { fields.filter { constraint($0).isRequired } }

    var schema: RecordSchema<Specimen> {
        let fields = fields.map { SpecimenField.all[$0].field(constraint($0)) }
        let indexes = indexes.map { (index) -> RecordIndex<Specimen> in
            let columns = index.columns.map { SpecimenField.all[$0.field].order($0.isDescending) }
            return switch columns.count {
            case 1: RecordIndex(index.name, columns[0], isUnique: index.isUnique)
            case 2: RecordIndex(index.name, columns[0], columns[1], isUnique: index.isUnique)
            default: RecordIndex(index.name, columns[0], columns[1], columns[2], isUnique: index.isUnique)
            }
        }
        let codec = Specimen.codec(version)
        var schema =
            switch key {
            case .id: RecordSchema<Specimen>("m", codec: codec, key: \.id, fields: fields, indexes: indexes)
            case .code: RecordSchema<Specimen>("m", codec: codec, key: \.code, fields: fields, indexes: indexes)
            case .generated: RecordSchema<Specimen>("m", codec: codec, fields: fields, indexes: indexes)
            }
        schema.hidesIndexedValues = hidesValues
        return schema
    }
}
