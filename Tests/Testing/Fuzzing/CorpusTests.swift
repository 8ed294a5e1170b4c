import Foundation
import Testing
import _ShaleFuzzing

/// Replays the corpus with valid checksums, as an attacker would make them.
///
/// The file `kept.pack` of each target contains inputs that each reach code that no other input reaches. Every input
/// that ever found an error is kept beside it under a name of its own. See ShaleEngine.docc, "Fuzzing".
@Suite struct CorpusTests {
    @Test(arguments: FuzzTarget.all.map(\.name)) func keptInputsFindNothing(_ name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let inputs = try Corpus.inputs(of: name)
        #expect(!inputs.isEmpty, "make a corpus: tools/fuzz \(name)")
        for input in inputs {
            do {
                try target.run(input.content)
            } catch {
                Issue.record("\(name)/\(input.file): \(error)")
            }
        }
    }

    @Test(arguments: FuzzTarget.all.map(\.name)) func seedsFindNothing(_ name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let seeds = try target.seeds()
        #expect(!seeds.isEmpty)
        for seed in seeds { try target.run(seed) }
    }

    @Test(arguments: [[], [[]], [[1], [], [2, 3]], [[UInt8](repeating: 7, count: 70_000)]] as [[[UInt8]]])
    func packedInputsComeBack(_ inputs: [[UInt8]]) throws {
        let packed = InputPack.pack(inputs)
        #expect(try InputPack.unpack(packed) == inputs)
        if !packed.isEmpty { #expect(throws: InputPack.CutShort.self) { try InputPack.unpack(packed.dropLast()) } }
    }

    // Without the trait `HTTP` the targets of ShaleHTTP are missing.
    #if HTTP
        @Test func noCorpusIsWithoutATarget() throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: try Corpus.place().path)
            #expect(Set(names.filter { !$0.hasPrefix(".") }) == Set(FuzzTarget.all.map(\.name)))
        }
    #endif
}

enum Corpus {
    static func place() throws -> URL {
        try #require(Bundle.module.url(forResource: "Corpus", withExtension: nil))
    }

    static func inputs(of target: String) throws -> [(file: String, content: [UInt8])] {
        let folder = try place().appendingPathComponent(target)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().flatMap { name in
            let content = [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
            guard name == "kept.pack" else { return [(name, content)] }
            return try InputPack.unpack(content).enumerated().map { ("\(name) \($0.offset)", $0.element) }
        }
    }
}
