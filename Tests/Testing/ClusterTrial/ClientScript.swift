import ShalePlatform

/// The operations of the writers of a client, each determined by its number. So the parent knows what a client that was
/// killed has done from the numbers alone.
struct ClientScript: Sendable {
    static let writers = 8
    private static let keys = 12
    static let lifetimeMilliseconds = 200

    struct Value: Equatable, Sendable {
        let number: Int
        let isLarge: Bool
        let isPurgeable: Bool
        let expires: Bool

        /// A large one has an object of its own.
        var bytes: [UInt8] {
            let text = Array("\(number)".utf8)
            return isLarge ? text + [UInt8](repeating: 32, count: 70_000) : text
        }
    }

    enum Operation: Sendable {
        /// Sets and removes keys of the writer's partition together; `nil` removes.
        case write([String: Value?])
        /// Adds 1 to the writer's counter in an atomic step.
        case count
    }

    let seed: UInt64

    /// The beginning of a writer's keys, which are one partition.
    static func prefix(_ writer: Int) -> String { "w\(writer)/" }

    static func counter(_ writer: Int) -> String { prefix(writer) + "count" }

    func operation(_ number: Int, of writer: Int) -> Operation {
        let place = UInt64(writer) << 40 | UInt64(number)
        let random = SeededRandom(seed: seed ^ place &* 0x9E37_79B9_7F4A_7C15)
        func key() -> String { ClientScript.prefix(writer) + "\(random.below(ClientScript.keys))" }
        func value() -> Value {
            Value(
                number: number, isLarge: random.chance(0.05), isPurgeable: random.chance(0.2),
                expires: random.chance(0.1))
        }
        switch random.below(10) {
        case 0..<5: return .write([key(): value()])
        case 5: return .write([key(): nil])
        case 6..<9:
            var changes: [String: Value?] = [:]
            for _ in 0...random.below(6) { changes[key()] = random.chance(0.7) ? Value?.some(value()) : nil }
            return .write(changes)
        default: return .count
        }
    }
}
