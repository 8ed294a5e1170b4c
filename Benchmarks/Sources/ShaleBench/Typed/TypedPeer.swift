/// A store of typed values, used by one thread. Every operation is separate, and a set value survives the death of the
/// process.
protocol TypedPeer: PeerStore {
    func set(_ value: TypedValue, forKey key: String) throws

    /// Returns the value of `key` as `kind`; `nil` if the key is missing.
    func value(forKey key: String, as kind: TypedValue.Kind) throws -> TypedValue?

    /// True if the peer has an open step; false if a process reads values only on demand.
    var hasOpening: Bool { get }

    /// The maximal duration of the sets, for peers too slow to fill a store of the requested size.
    var secondsMax: Double { get }
}

extension TypedPeer {
    var hasOpening: Bool { true }
    var secondsMax: Double { .infinity }
}

/// A small value of a kind that an app's settings have.
enum TypedValue: Equatable, Sendable {
    case int(Int)
    case bool(Bool)
    case double(Double)
    case text(String)

    enum Kind: Sendable {
        case int, bool, double, text
    }

    /// Returns the kind of an item; all kinds are equally frequent.
    static func kind(of item: Int) -> Kind {
        switch item & 3 {
        case 0: .int
        case 1: .bool
        case 2: .double
        default: .text
        }
    }

    /// Makes the value of an item in a generation of writes.
    init(item: Int, generation: UInt64) {
        let random = mixed(UInt64(truncatingIfNeeded: item) ^ (generation &<< 48))
        switch TypedValue.kind(of: item) {
        case .int: self = .int(Int(truncatingIfNeeded: random >> 20))
        case .bool: self = .bool(random & 1 == 0)
        case .double: self = .double(Double(random >> 12) / 1024)
        case .text: self = .text(TypedValue.text(random))
        }
    }

    /// Returns one of the texts.
    static func text(_ random: UInt64) -> String { texts[Int(random % UInt64(texts.count))] }

    /// The texts, of 8 to 39 characters.
    private static let texts: [String] = (0..<256).map { index in
        let characters = (0..<8 + index / 8).map { place in UInt8(97 + mixed(UInt64(index * 64 + place)) % 26) }
        return String(decoding: characters, as: UTF8.self)
    }

    /// The payload bytes of a compact encoding, for amplification figures.
    var byteCount: Int {
        switch self {
        case .int, .double: 8
        case .bool: 1
        case .text(let text): text.utf8.count
        }
    }
}

/// The keys of typed values: `key.00001234`.
enum TypedKey {
    static let byteCount = 12

    static func key(_ item: Int) -> String {
        unsafe String(unsafeUninitializedCapacity: byteCount) { bytes in
            _ = unsafe bytes.update(fromContentsOf: "key.".utf8)
            var rest = item
            for place in stride(from: byteCount - 1, through: 4, by: -1) {
                unsafe bytes[place] = UInt8(48 + rest % 10)
                rest /= 10
            }
            return byteCount
        }
    }
}
