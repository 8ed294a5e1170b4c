import Foundation
import Testing

@testable import ShaleCommand

/// The command's parsers accept any input. The inputs are the files in Corpus and variations of them
/// by a generator with a printed seed.
///
/// `SHALE_SEED` repeats a run, and `SHALE_INPUT_RUNS` makes it longer. Inputs that find an error are kept in Corpus as
/// `finding-…`.
@Suite(.serialized)
struct InputCorpusTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")

    private static func variable(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    private static func corpus(_ target: InputTarget) throws -> [(name: String, bytes: [UInt8])] {
        let place = folder.appending(path: target.name)
        return try FileManager.default.contentsOfDirectory(atPath: place.path).sorted().map { name in
            (name, [UInt8](try Data(contentsOf: place.appending(path: name))))
        }
    }

    @Test(arguments: InputTarget.all.map(\.name))
    func keptInputsAreHandled(_ name: String) throws {
        let target = try #require(InputTarget.all.first { $0.name == name })
        let inputs = try Self.corpus(target)
        #expect(inputs.count > 1)
        for input in inputs {
            #expect(throws: Never.self, "\(input.name)") { try target.run(input.bytes) }
        }
        print("COVERED \(inputs.count) kept inputs | \(name)")
    }

    @Test(arguments: InputTarget.all.map(\.name))
    func mutatedInputsAreHandled(_ name: String) throws {
        let target = try #require(InputTarget.all.first { $0.name == name })
        let seed = Self.variable("SHALE_SEED") ?? 20_260_101
        let runs = Self.variable("SHALE_INPUT_RUNS") ?? 400
        print("seed \(seed) | \(name)")
        var mutator = Mutator(corpus: try Self.corpus(target).map(\.bytes), random: SplitMix(state: seed))
        for run in 0..<runs {
            let input = mutator.next()
            do {
                try target.run(input)
            } catch {
                let file = Self.folder.appending(path: "\(name)/finding-\(seed)-\(run)")
                try Data(input).write(to: file)
                Issue.record("\(error), kept as \(file.lastPathComponent)")
                return
            }
        }
        print("COVERED \(runs) made inputs | \(name)")
    }
}

/// Makes variations of inputs: it flips bits, removes and repeats pieces, exchanges pieces between inputs, and inserts
/// words that parsers know.
private struct Mutator {
    private static let words =
        [
            "\n", "\r\n", "\n\n", ":", " ", "\t", "\"", "\\", "\\u", "{", "}", "[", "]", ",", "%", "%2F", "/",
            "Package: ", "0", "-", "+",
            "e", ".", "=", "@", "<", ">", "</array>", "<array>", "<!--", "-->", "<![CDATA[", "&", "\u{1b}", "\u{9b}",
            "\u{202e}",
            "18446744073709551615", "9223372036854775808", "null", "true",
        ].map { Array($0.utf8) } + [[0], [0xff], [0xc2], [0xa1, 0x00], [0xaf, 0x13], [0xd1, 0x00, 0x00]]

    let corpus: [[UInt8]]
    var random: SplitMix

    private mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }

    private mutating func piece(of bytes: [UInt8]) -> ArraySlice<UInt8> {
        let start = below(bytes.count + 1)
        return bytes[start..<min(bytes.count, start + below(32))]
    }

    mutating func next() -> [UInt8] {
        var input = corpus[below(corpus.count)]
        for _ in 0...below(6) {
            let place = below(input.count + 1)
            switch below(6) {
            case 0 where place < input.count: input[place] ^= 1 << UInt8(below(8))
            case 1 where place < input.count: input[place] = UInt8(below(256))
            case 2: input.removeSubrange(place..<min(input.count, place + below(16)))
            case 3: input.insert(contentsOf: piece(of: input), at: place)
            case 4: input.insert(contentsOf: piece(of: corpus[below(corpus.count)]), at: place)
            default: input.insert(contentsOf: Self.words[below(Self.words.count)], at: place)
            }
            if input.count > 4096 { input.removeLast(input.count - 4096) }
        }
        return input
    }
}
