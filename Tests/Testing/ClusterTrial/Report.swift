import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A line from a client to its parent. Written in one call, so that a killed client leaves whole lines.
struct Report {
    enum Kind: Character {
        case begun = "b"
        case done = "d"
    }

    let kind: Kind
    let writer: Int
    let number: Int

    init(kind: Kind, writer: Int, number: Int) {
        self.kind = kind
        self.writer = writer
        self.number = number
    }

    init?(_ line: some StringProtocol) {
        let words = line.split(separator: " ")
        guard words.count == 3, let first = words[0].first, let kind = Kind(rawValue: first),
            let writer = Int(words[1]), let number = Int(words[2])
        else { return nil }
        self.init(kind: kind, writer: writer, number: number)
    }

    func send() throws {
        var bytes = Array("\(kind.rawValue) \(writer) \(number)\n".utf8)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        guard count == bytes.count else { throw IOFailure("write", "a pipe", errno) }
    }
}
