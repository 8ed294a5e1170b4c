/// A store of people with a unique index on the e-mail address and an index on the age, used by one thread. Every
/// operation is separate, and a change survives the death of the process.
protocol RecordPeer: PeerStore {
    func insert(_ person: BenchPerson) throws

    /// Inserts people in one atomic step.
    func insert(contentsOf people: [BenchPerson]) throws

    func person(email: String) throws -> BenchPerson?

    /// Returns people of at least an age, in the order of their ages.
    func people(fromAge age: Int, limit: Int) throws -> [BenchPerson]

    func setAge(_ age: Int, ofPerson id: Int) throws

    /// Returns the number of people of an age.
    func count(age: Int) throws -> Int

    /// Builds an index on the name over the people that are there.
    func indexNames() throws
}

/// A record as an address book has it.
struct BenchPerson: Codable, Equatable, Sendable {
    /// Ages are 0 ..< ageCount.
    static let ageCount = 1000

    var id: Int
    var name: String
    var email: String?
    var age: Int
    var city: String

    /// Makes the person with a number.
    init(number: Int) {
        let random = mixed(UInt64(truncatingIfNeeded: number))
        self.init(
            id: number, name: "\(TypedValue.text(random)) \(number)", email: BenchPerson.email(number),
            age: BenchPerson.age(number), city: TypedValue.text(random >> 32))
    }

    init(id: Int, name: String, email: String?, age: Int, city: String) {
        (self.id, self.name, self.email, self.age, self.city) = (id, name, email, age, city)
    }

    static func email(_ number: Int) -> String { "person.\(number)@example.org" }

    static func age(_ number: Int) -> Int {
        Int(mixed(UInt64(truncatingIfNeeded: number) &+ 7) % UInt64(BenchPerson.ageCount))
    }

    /// The payload bytes of a compact encoding, for amplification figures.
    var byteCount: Int { 16 + name.utf8.count + city.utf8.count + (email?.utf8.count ?? 0) }
}
