import ShalePlatform

/// JSON documents of about 200 bytes, as applications store them by the thousand.
///
/// All documents of a kind have the same members. Values come from vocabularies with skewed frequencies, or are
/// distinct numbers, times and names. The same seed gives the same documents. They measure dictionaries; for
/// ``Kind/tokens`` a dictionary is useless.
public struct SampleDocuments {
    public enum Kind: String, CaseIterable, Sendable {
        /// A user's profile: names, an address, a city, dates.
        case profiles
        /// A line of an order: 32 random bits, names, goods, a price, a time.
        case orders
        /// A line of telemetry: a session of 64 random bits, a device, a screen, a city, a time.
        case events
        /// 180 characters, random except for their alphabet.
        case tokens
    }

    private let kind: Kind
    private let random: SeededRandom
    private var count = 0

    public init(_ kind: Kind, seed: UInt64 = 1) {
        self.kind = kind
        random = SeededRandom(seed: seed)
    }

    /// Returns the next document in UTF-8.
    public mutating func next() -> [UInt8] {
        defer { count += 1 }
        switch kind {
        case .profiles: return Array(profile().utf8)
        case .orders: return Array(order().utf8)
        case .events: return Array(event().utf8)
        case .tokens: return Array("{\"token\":\"".utf8) + token() + Array("\"}".utf8)
        }
    }

    private func profile() -> String {
        let first = pick(Words.firstNames)
        let last = pick(Words.lastNames)
        return """
            {"name":"\(first) \(last)","email":"\(first.lowercased()).\(last.lowercased())@\(often(Words.domains))",\
            "city":"\(often(Words.cities))","plan":"\(often(Words.plans))",\
            "joined":"20\(digits(18 + below(8)))-\(date())",\
            "seen":"2026-\(date())T\(time())Z","visits":\(below(400) * below(3)),"newsletter":\(below(3) == 0)}
            """
    }

    private func order() -> String {
        """
        {"id":"ord_\(hexadecimal(8))","customer":"\(pick(Words.firstNames)) \(pick(Words.lastNames))",\
        "item":"\(pick(Words.materials)) \(pick(Words.goods))","sku":\(10_000 + below(3000)),\
        "quantity":\(1 + below(4) * below(2)),"price":\(5 + below(200)).\(digits(50 * below(2))),\
        "status":"\(often(Words.states))","city":"\(often(Words.cities))","paid":\(below(10) > 0),\
        "placed":"2026-\(date())T\(time())Z"}
        """
    }

    private func event() -> String {
        """
        {"event":"\(often(Words.actions))","user":\(below(100_000)),"session":"\(hexadecimal(16))",\
        "device":"\(often(Words.devices))","screen":"/\(often(Words.goods))/\(often(Words.materials))",\
        "city":"\(often(Words.cities))","ms":\(below(900)),"ok":true,"at":\(1_774_000_000_000 + count * 37)}
        """
    }

    private func token() -> [UInt8] { (0..<180).map { _ in Words.alphabet[below(Words.alphabet.count)] } }

    // MARK: Drawing

    private func below(_ limit: Int) -> Int { random.below(limit) }
    private func pick(_ words: [String]) -> String { words[below(words.count)] }
    /// Draws from a list; earlier elements are more frequent.
    private func often(_ words: [String]) -> String { words[below(words.count) * below(1000) / 1000] }
    private func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    private func date() -> String { "\(digits(1 + below(12)))-\(digits(1 + below(28)))" }
    private func time() -> String { "\(digits(below(24))):\(digits(below(60))):\(digits(below(60)))" }
    private func hexadecimal(_ count: Int) -> String {
        String((0..<count).map { _ in Character(Unicode.Scalar(Words.hexadecimal[below(16)])) })
    }
}

private enum Words {
    static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    static let hexadecimal = Array("0123456789abcdef".utf8)

    static let firstNames = words(
        """
        Anna Erik Maria Lars Karin Johan Eva Anders Sara Mikael Ingrid Oskar Emma Hugo Alice Noah Olivia Liam Sofia \
        Lucas Elena Mateo Chloe Paul Greta Felix Nadia Omar Priya Arjun Mei Kenji
        """)
    static let lastNames = words(
        """
        Andersson Johansson Karlsson Nilsson Eriksson Larsson Olsson Persson Svensson Gustafsson Lindberg Lindqvist \
        Bergman Holm Nyberg Sandberg Schneider Fischer Weber Rossi Bianchi Garcia Fernandez Dubois Moreau Kowalski \
        Novak Smith Taylor Brown Patel Tanaka Suzuki Okafor Haddad
        """)
    static let domains = words("example.com mail.example.org post.example.net inbox.example.se example.io")
    static let plans = words("free basic premium family")
    static let cities = words(
        """
        Stockholm Gothenburg Malmö Uppsala Oslo Bergen Copenhagen Aarhus Helsinki Tampere Berlin Hamburg Munich \
        Cologne Amsterdam Rotterdam Brussels Antwerp Paris Lyon Marseille Madrid Barcelona Valencia Lisbon Porto Rome \
        Milan \
        Turin Vienna Graz Zurich Geneva Prague Brno Warsaw Krakow London Manchester Edinburgh
        """)
    static let materials = words(
        "oak linen steel cotton bamboo wool glass ceramic leather cork copper marble rattan felt")
    static let goods = words(
        """
        table-lamp cutting-board tablecloth coffee-mug bookshelf wall-clock picture-frame cushion-cover bath-towel \
        serving-tray storage-box floor-rug side-table candle-holder plant-pot salad-bowl bed-throw door-mat \
        magazine-rack desk-organiser bar-stool mirror umbrella-stand napkin-set water-jug
        """)
    static let states = words("delivered shipped packed paid returned cancelled")
    static let actions = words("screen_view tap purchase")
    static let devices = [
        "iPhone16,2; iOS 18.4", "Pixel 9; Android 15", "iPhone15,3; iOS 18.3.1", "SM-S928B; Android 15",
        "Mac15,6; macOS 15.4", "Windows NT 10.0; Edge 134", "X11; Linux x86_64; Firefox 136", "iPad14,5; iPadOS 18.4",
    ]

    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
}
