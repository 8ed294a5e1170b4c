import Foundation
import Shale

@testable import ShaleCommand

/// A store whose namespaces, users, keys and values contain control sequences for terminals.
enum HostileStore {
    /// Sets the title, clears the screen, sets colours (the second time by a Latin 1 control), deletes, reverses,
    /// isolates, hides, moves back and rings.
    static let text =
        "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{7f}\u{202e}\u{2066}\u{200b}\u{feff}\u{e0041}\r\u{8}\u{0}\u{85}\u{2028}"
    /// The same without a zero byte, which no argument and no file name can contain.
    static let argument = text.replacingOccurrences(of: "\u{0}", with: "")

    static func directory(_ sandbox: Sandbox) -> String { "\(sandbox.path)/\(argument)" }

    static func make(_ sandbox: Sandbox) throws -> String {
        let path = directory(sandbox)
        let store = try Store(at: path)
        for namespace in [store.common[argument], store.user(argument)[argument], store.common["n"]] {
            try namespace.set(text, forKey: text)
            try namespace.set(text, forKey: argument)
            try namespace.set(text, forKey: [0x9b, 0x33, 0x31, 0x6d, 0x1b, 0x5b, 0x32, 0x4a, 0xff] as [UInt8])
            try namespace.set(StructuredValue.dictionary([text: .array([.string(text)])]), forKey: "json", as: .json)
            try namespace.set(
                StructuredValue.dictionary([text: .string(text)]), forKey: "list", as: .propertyList,
                options: .purgeable)
            try namespace.set(
                StructuredValue.dictionary([text: .array([.string(text)])]), forKey: "compact", as: .compact)
            try namespace.set(Data(text.utf8), forKey: "data")
        }
        try makeCollection(store.common["people"])
        try store.engine.flush()
        try store.common["n"].set(text, forKey: "logged" + text)
        try store.close()
        return path
    }

    /// Stores a collection whose names and records contain control sequences, as an application could have made it.
    private static func makeCollection(_ namespace: Store.Namespace) throws {
        let field: StructuredValue = [
            "name": .string(text), "kind": 10002, "constraint": 20001, "isNullable": true,
        ]
        let index: StructuredValue = [
            "id": 1, "name": .string(text), "columns": [["field": .string(text), "isDescending": false]],
            "isUnique": false, "isReady": true, "born": 0,
        ]
        let schema: StructuredValue = [
            "format": 1, "name": .string(text), "version": 1, "fields": [field], "indexes": [index], "nextIndex": 2,
            "isMigrating": false, "hadPolicy": false,
        ]
        let meta = namespace.child(".schema")
        try meta.set(schema, forKey: "schema", as: .json)
        try meta.set([1, 2, 3, 4, 5, 6, 7, 8] as [UInt8], forKey: "generation")
        try namespace.set(
            StructuredValue.dictionary([text: .string(text)]), forKey: CompositeKey(text).bytes, as: .json)
        try namespace.set(
            StructuredValue.dictionary([text: [1]]), forKey: CompositeKey(text, 1).bytes, as: .json)
        try namespace.child(".index").child("1").set(text, forKey: text)
    }
}
