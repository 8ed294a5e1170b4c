// An address book of 100 000 contacts: search by prefix, a compound index, pages, and a migration to a new version of
// the record type.
import ExampleSupport
import ShaleCollections

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The first version: one text for the whole name.
struct ContactV1: Codable, Sendable {
    var name: String
    var city: String
    var email: String?

    static let schema = RecordSchema<ContactV1>(
        "contacts",
        fields: [
            RecordField("name", \.name, .notNull), RecordField("city", \.city), RecordField("email", \.email, .unique),
        ],
        indexes: [RecordIndex("byName", .ascending(\.name)), RecordIndex("byCity", .ascending(\.city))])
}

/// The second version: first and last names, which are searched together with the city.
struct Contact: Codable, Sendable, Equatable {
    var first: String
    var last: String
    var city: String
    var email: String?

    static let schema = RecordSchema<Contact>(
        "contacts",
        codec: VersionedCodec(ContactV1.self).then(Contact.self) { old in
            let parts = old.name.split(separator: " ", maxSplits: 1).map(String.init)
            return Contact(first: parts[0], last: parts.count > 1 ? parts[1] : "", city: old.city, email: old.email)
        },
        fields: [
            RecordField("first", \.first, .notNull), RecordField("last", \.last), RecordField("city", \.city),
            RecordField("email", \.email, .unique),
        ],
        indexes: [
            RecordIndex("byCityAndName", .ascending(\.city), .ascending(\.last), .ascending(\.first)),
            RecordIndex("byName", .ascending(\.last), .ascending(\.first)),
        ])
}

@main
struct AddressBook {
    static let count = 100_000
    static let cities = ["Bergen", "Lund", "Oslo", "Turku", "Uppsala"]
    static let firstNames = ["Ada", "Bo", "Cilla", "Dag", "Eva", "Finn", "Greta", "Hans", "Ida", "Jon"]

    static func main() throws {
        try withTemporaryDirectory { directory in
            let store = try Store(at: directory + "/store")
            try fill(try store.common.collection(ContactV1.schema))
            try search(try store.common.collection(ContactV1.schema))
            // The new version of the application. Old contacts are readable at once.
            let contacts = try store.common.collection(Contact.schema, onDifference: .adopt)
            expect(try contacts.find(\.email, "c777@example.org")?.last == "L00777", "read in the new version")
            var steps = 0
            let report = try contacts.migrate { (_) in steps += 1 }
            expect(report.migrated == count && report.failures.isEmpty, "every contact is stored in the new version")
            print("migrated \(report.migrated) contacts in \(steps) steps")
            try searchNewVersion(contacts)
            expect(try contacts.verify().isSound, "records and indexes agree")
            try store.close()
        }
    }

    static func fill(_ contacts: RecordCollection<ContactV1>) throws {
        for start in stride(from: 0, to: count, by: 1000) {
            try contacts.insert(
                contentsOf: (start..<start + 1000).map { number in
                    let digits = "\(100_000 + number)".dropFirst()
                    return ContactV1(
                        name: "\(firstNames[number % firstNames.count]) L\(digits)",
                        city: cities[number % cities.count],
                        email: number % 7 == 0 ? "c\(number)@example.org" : nil)
                })
        }
        print("\(try contacts.count()) contacts")
    }

    static func search(_ contacts: RecordCollection<ContactV1>) throws {
        let found = contacts.query(#Predicate { $0.name.starts(with: "Ada L0001") })
        expect(try found.values(of: \.name) == ["Ada L00010"], "found by the beginning of the name")
        expect(try found.explain().recordsRead == 1, "no other contact is read")
        print(try found.explain())
    }

    static func searchNewVersion(_ contacts: RecordCollection<Contact>) throws {
        // One city, in the order of names, page by page.
        let oslo = contacts.query(#Predicate { $0.city == "Oslo" })
            .ordered(by: .ascending(\.last), .ascending(\.first)).limit(20)
        let first = try oslo.page()
        let second = try oslo.after(first.next).page()
        expect(first.records.first?.last == "L00002" && first.records.last?.last == "L00097", "the first page")
        expect(second.records.first?.last == "L00102", "the second page continues behind it")
        let explanation = try oslo.after(first.next).explain()
        expect(explanation.source == .index && !explanation.isSorted, "the index delivers the order")
        expect(explanation.recordsRead <= 21, "a page reads only itself")
        print(explanation)
        expect(try contacts.query(#Predicate { $0.city == "Oslo" }).count() == count / 5, "counted by the index")
        // Prefix search within a city.
        let prefix = contacts.query(#Predicate { $0.city == "Lund" && $0.last.starts(with: "L9999") })
        expect(try prefix.values(of: \.last) == ["L99991", "L99996"], "a prefix behind an equal city")
        print(try prefix.explain())
    }
}
