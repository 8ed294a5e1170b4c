import Shale
import ShaleBase
import ShaleCollections

extension CollectionModel {
    /// A record to store, with its options.
    struct Draft {
        let specimen: Specimen
        let options: ValueOptions
        let isPurgeable: Bool
        let expiresAt: Int64?

        var entry: SpecimenOracle.Entry {
            SpecimenOracle.Entry(specimen, isPurgeable: isPurgeable, expiresAt: expiresAt)
        }
    }

    func draft() -> Draft {
        var options: [ValueOptions] = []
        let isPurgeable = random.below(4) == 0
        if isPurgeable { options.append(.purgeable) }
        var expiresAt: Int64?
        if random.below(8) == 0 {
            let life = 1 + random.below(1500)
            options.append(.expires(after: .milliseconds(life)))
            expiresAt = time.wallMilliseconds + Int64(life)
        }
        if schema.hidesValues, random.below(2) == 0 { options.append(.encrypted) }
        let all = options.reduce(ValueOptions()) { [$0, $1] }
        return Draft(specimen: values.specimen(), options: all, isPurgeable: isPurgeable, expiresAt: expiresAt)
    }

    func fieldKey(_ specimen: Specimen) throws(StorageError) -> RecordKey {
        schema.key == .code ? try RecordKey(specimen.code) : try RecordKey(specimen.id)
    }

    /// Returns the key of some record, or of none.
    func someKey() throws(StorageError) -> RecordKey {
        guard schema.key == .generated || random.below(2) == 0, !oracle.entries.isEmpty else {
            return try fieldKey(values.specimen())
        }
        return oracle.keys(where: { _ in true })[random.below(oracle.entries.count)]
    }

    /// Runs a change and compares its refusal with the expected ones. Returns its result; `nil` if it was refused.
    func attempt<R>(
        _ expected: Set<SpecimenOracle.Refusal>, _ change: () throws(StorageError) -> R
    ) throws -> R? {
        let result: R
        do throws(StorageError) {
            result = try change()
        } catch {
            guard let violation = error.constraintViolation else { throw error }
            refused()
            let found: SpecimenOracle.Refusal =
                switch violation.kind {
                case .keyExists: .keyExists
                case .isNull: .isNull(violation.field)
                case .notUnique: .notUnique(violation.field)
                }
            try require(expected.contains(found), "refused as \(found), expected \(expected)")
            return nil
        }
        // An index that is being built does not have all records.
        let isExcused =
            isUnfinished && expected.allSatisfy { if case .notUnique = $0 { true } else { false } }
        try require(expected.isEmpty || isExcused, "not refused: \(expected)")
        return result
    }

    func insert() throws {
        let draft = draft()
        let cells = draft.specimen.cells
        if schema.key == .generated {
            let expected = oracle.refusals(cells, try fieldKey(draft.specimen), isNew: true, schema)
            let key = try attempt(expected) { () throws(StorageError) in
                try collection.insert(draft.specimen, options: draft.options)
            }
            if let key { oracle.entries[key] = draft.entry }
            return
        }
        let key = try fieldKey(draft.specimen)
        let replaces = random.below(2) == 0
        let expected = oracle.refusals(cells, key, isNew: !replaces, schema)
        let done = try attempt(expected) { () throws(StorageError) -> Bool in
            if replaces { return try collection.put(draft.specimen, options: draft.options) }
            try collection.insert(draft.specimen, options: draft.options)
            return false
        }
        guard let done else { return }
        try require(done == (replaces && oracle.entries[key] != nil), "replaced: \(done)")
        oracle.entries[key] = draft.entry
    }

    func insertSeveral() throws {
        let drafts = (0..<(1 + random.below(8))).map { _ in draft() }
        let shared = drafts[0]
        var after = oracle
        var expected: Set<SpecimenOracle.Refusal> = []
        for (number, draft) in drafts.enumerated() {
            // A generated key is another one each time.
            let key = try schema.key == .generated ? RecordKey("draft \(number)") : fieldKey(draft.specimen)
            let refusals = after.refusals(draft.specimen.cells, key, isNew: true, schema)
            expected.formUnion(refusals)
            if !refusals.isEmpty, !isUnfinished { break }
            after.entries[key] = draft.entry
        }
        let keys = try attempt(expected) { () throws(StorageError) in
            try collection.insert(contentsOf: drafts.map(\.specimen), options: shared.options)
        }
        guard let keys else { return }
        for (key, draft) in zip(keys, drafts) {
            oracle.entries[key] = SpecimenOracle.Entry(
                draft.specimen, isPurgeable: shared.isPurgeable, expiresAt: shared.expiresAt)
        }
    }

    func modify() throws {
        let key = try someKey()
        let donor = values.specimen()
        let fields = (0...random.below(3)).map { _ in 2 + random.below(SpecimenField.all.count - 2) }
        func change(_ record: inout Specimen) {
            for field in fields { donor.copy(field, to: &record) }
        }
        guard var entry = oracle.entries[key] else {
            let found = try collection.modify(key) { change(&$0) }
            return try require(!found, "modified a missing record")
        }
        change(&entry.specimen)
        entry.cells = entry.specimen.cells
        let expected = oracle.refusals(entry.cells, key, isNew: false, schema)
        let isReplacement = random.below(4) == 0
        let done = try attempt(expected) { () throws(StorageError) -> Bool in
            guard isReplacement else { return try collection.modify(key) { change(&$0) } }
            return try collection.replace(key, with: entry.specimen)
        }
        guard let done else { return }
        try require(done, "modified nothing")
        if isReplacement { (entry.isPurgeable, entry.expiresAt) = (false, nil) }
        oracle.entries[key] = entry
    }

    func delete() throws {
        let key = try someKey()
        let done = try collection.delete(key)
        try require(done == (oracle.entries.removeValue(forKey: key) != nil), "deleted: \(done)")
    }

    /// Changes all records that satisfy a condition.
    func changeMany() throws {
        let (predicate, holds, text) = source.predicate()
        let query = collection.query(predicate)
        let keys = oracle.keys(where: holds)
        if random.below(2) == 0 {
            let count = try random.below(2) == 0 ? query.delete() : query.deleteInSteps()
            for key in keys { oracle.entries[key] = nil }
            return try require(count == keys.count, "deleted \(count) of \(keys.count) where \(text)")
        }
        let donor = values.specimen()
        let field = 2 + random.below(SpecimenField.all.count - 2)
        var after = oracle
        var expected: Set<SpecimenOracle.Refusal> = []
        for key in keys {
            guard var entry = after.entries[key] else { continue }
            donor.copy(field, to: &entry.specimen)
            entry.cells = entry.specimen.cells
            expected = after.refusals(entry.cells, key, isNew: false, schema)
            if !expected.isEmpty, !isUnfinished { break }
            after.entries[key] = entry
        }
        // While an index is built, refusals depend on what it has.
        if isUnfinished { expected = Set(schema.uniqueSets.map { .notUnique($0.name) }).union(nullRefusals) }
        let count = try attemptMany(expected) { () throws(StorageError) in
            try query.modify { (record) in donor.copy(field, to: &record) }
        }
        guard let count else { return }
        try require(count == keys.count, "modified \(count) of \(keys.count) where \(text)")
        oracle = after
    }

    private var nullRefusals: Set<SpecimenOracle.Refusal> {
        Set(schema.requiredFields.map { .isNull(SpecimenField.all[$0].name) })
    }

    private func attemptMany(
        _ expected: Set<SpecimenOracle.Refusal>, _ change: () throws(StorageError) -> Int
    ) throws -> Int? {
        guard isUnfinished else { return try attempt(expected, change) }
        do throws(StorageError) {
            return try change()
        } catch {
            guard error.constraintViolation != nil else { throw error }
            refused()
            return nil
        }
    }

    /// Several changes and a query as one transaction, which may be given up.
    func transact() throws {
        let commits = random.below(3) > 0
        let drafts = (0...random.below(3)).map { _ in draft() }
        var after = oracle
        let (predicate, holds, text) = source.predicate()
        var found: [RecordKey] = []
        let old = oracle.keys(where: { _ in true })
        let victim = old.isEmpty ? nil : old[random.below(old.count)]
        guard schema.key != .generated else { return }
        do {
            try store.transaction { transaction in
                if let victim { try collection.delete(victim, in: transaction) }
                for draft in drafts { try collection.put(draft.specimen, options: draft.options, in: transaction) }
                found = try collection.query(predicate).page(in: transaction).keys
                if !commits { throw Abandoned() }
            }
        } catch is Abandoned {
            // Given up on purpose.
        } catch let error as StorageError where error.constraintViolation != nil {
            refused()
            return try requireRefusal(of: drafts, without: victim)
        }
        if let victim { after.entries[victim] = nil }
        for draft in drafts {
            let key = try fieldKey(draft.specimen)
            let expected = after.refusals(draft.specimen.cells, key, isNew: false, schema)
            try require(expected.isEmpty || isUnfinished, "not refused in a transaction: \(expected)")
            after.entries[key] = draft.entry
        }
        try require(found == after.keys(where: holds), "a transaction does not see its writes where \(text)")
        if commits { oracle = after }
    }

    private struct Abandoned: Error {}

    private func requireRefusal(of drafts: [Draft], without victim: RecordKey?) throws {
        var after = oracle
        if let victim { after.entries[victim] = nil }
        for draft in drafts {
            let key = try fieldKey(draft.specimen)
            if !after.refusals(draft.specimen.cells, key, isNew: false, schema).isEmpty { return }
            after.entries[key] = draft.entry
        }
        throw failure("a transaction was refused")
    }
}

extension Specimen {
    /// Copies one field to another record.
    func copy(_ field: Int, to other: inout Specimen) {
        switch field {
        case SpecimenField.integer: other.integer = integer
        case SpecimenField.unsigned: other.unsigned = unsigned
        case SpecimenField.text: other.text = text
        case SpecimenField.note: other.note = note
        case SpecimenField.real: other.real = real
        case SpecimenField.small: other.small = small
        case SpecimenField.blob: other.blob = blob
        case SpecimenField.flag: other.flag = flag
        case SpecimenField.day: other.day = day
        default: other.mark = mark
        }
    }
}
