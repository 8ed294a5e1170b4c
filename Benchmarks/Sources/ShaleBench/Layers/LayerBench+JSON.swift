import Foundation
import Shale
import ShaleEngine
import _ShaleHotPaths

/// A document of about 200 bytes of JSON.
private struct Profile: Codable, Equatable {
    var name: String
    var email: String
    var city: String
    var plan: String
    var joined: String
    var seen: String
    var visits: Int
    var newsletter: Bool
}

extension LayerBench {
    /// Measures `Codable` values as JSON against the encoder and the decoder alone, and against an encoder without the
    /// options that make equal values equal bytes.
    func jsonCalls() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let (plain, decoder) = (JSONEncoder(), JSONDecoder())
        var documents = SampleDocuments(.profiles, seed: assignment.seed)
        let profiles = try (0..<256).map { _ in try decoder.decode(Profile.self, from: Data(documents.next())) }
        let texts = try profiles.map { try encoder.encode($0) }
        let bytes = texts.reduce(0) { $0 + $1.count } / texts.count
        let store = try stores.store("json")
        let namespace = store.common["profiles"]
        let raw = try store.engine.createNamespace(named: Array("bytes".utf8))
        let count = min(operations, assignment.operationsMax)
        let written = VisitedKeys(count: count, of: min(count, assignment.entries), seed: 1, beginsWithAll: true)
        func encode(_ encoder: JSONEncoder, _ range: Range<Int>) throws {
            for position in range where try encoder.encode(profiles[written.items[position] & 255]).isEmpty {
                throw BenchError.wrong("item \(position)")
            }
        }
        try emit(
            "setjson",
            [
                Turns.Side(peer: Contender.shale) { range in
                    for position in range {
                        try namespace.set(profiles[written.items[position] & 255], forKey: written.texts[position])
                    }
                },
                Turns.Side(peer: "encoder") { try encode(encoder, $0) },
                Turns.Side(peer: "plainencoder") { try encode(plain, $0) },
                // The remaining difference is the cost of the layers in between.
                Turns.Side(peer: "encoderengine") { range in
                    try written.forEach(in: range) { position, key in
                        let bytes = try encoder.encode(profiles[written.items[position] & 255])
                        try store.engine.put(bytes.bytes, forKey: key, in: raw)
                    }
                },
            ], operations: count, valueBytes: bytes)
        try settle()
        try emit(
            "getjson",
            [
                Turns.Side(peer: Contender.shale) { range in
                    for position in range {
                        let found = try namespace.value(forKey: written.texts[position], as: Profile.self)
                        guard found == profiles[written.items[position] & 255] else {
                            throw BenchError.wrong("item \(position)")
                        }
                    }
                },
                Turns.Side(peer: "encoder") { range in
                    for position in range {
                        let index = written.items[position] & 255
                        guard try decoder.decode(Profile.self, from: texts[index]) == profiles[index] else {
                            throw BenchError.wrong("item \(position)")
                        }
                    }
                },
            ], operations: count, valueBytes: bytes)
    }
}
