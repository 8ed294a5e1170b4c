import Foundation
import Shale
import ShaleBase
import TestSupport
import Testing

@testable import ShaleMaintenance

/// Data keys that were sealed before names and options were authenticated still open. The next write
/// binds them to name and options.
///
/// The contexts are written out here as in ShaleEncryption.docc, "Value encryption".
@Suite struct EarlierKeysTests {
    /// Returns a dump with data keys as an earlier version sealed them.
    private func earlier() throws -> EditedDump {
        var dump = try EditedDump { store in
            for user in ["ada", "bob"] {
                try store.user(user)["mail"].set("of \(user)", forKey: "k", options: .encrypted)
            }
        }
        let recordLine = try #require(dump.lines.first { $0.contains(#""name64":"AwQAa2V5cw==""#) })
        let members = try JSONSerialization.jsonObject(with: Data(recordLine.utf8)) as? [String: Any]
        let record = EditedDump.NamespaceLine(members: try #require(members)).options
        let storeID = try #require(record.first { $0.tag == 1 }).bytes
        try dump.editNamespaces { line in
            var name: [UInt8] = []
            if let user = line.members["user"] as? String { name += [2, UInt8(user.utf8.count), 0] + Array(user.utf8) }
            for part in line.members["path"] as? [String] ?? [] {
                name += [UInt8(part.utf8.count), 0] + Array(part.utf8)
            }
            let id = try #require(line.members["namespace"] as? Int)
            line.options = try line.options.map { field in
                guard field.tag == 7 else { return field }
                return (5, try Self.earlierForm(field.bytes, storeID: storeID, namespace: UInt8(id), name: name))
            }
        }
        return dump
    }

    /// Returns the earlier version's field for the same data key. The options are the defaults.
    private static func earlierForm(
        _ field: [UInt8], storeID: [UInt8], namespace: UInt8, name: [UInt8]
    ) throws -> [UInt8] {
        let sealer = try SimpleCipher().sealer(with: try SimpleKey().key(for: []))
        let (head, nonce, sealed) = (Array(field[..<6]), Array(field[6..<30]), Array(field[30...]))
        let place = storeID + [namespace, 0, 0, 0] + head[..<5]
        let master: [UInt8] = [1, 0, 0, 0]
        let context = [4] + place + [head[5]] + master + [0, 0] + [UInt8](repeating: 0, count: 8) + name
        var secret: [UInt8] = []
        try #require(
            try unsafe sealer.open(
                sealed.span.bytes, nonce: nonce.span.bytes, context: context.span.bytes, appendingTo: &secret))
        let earlier = [2] + place + master
        var output = Array(head[..<5]) + nonce
        try unsafe sealer.seal(
            secret.span.bytes, nonce: nonce.span.bytes, context: earlier.span.bytes, appendingTo: &output)
        return output
    }

    private func tags(_ store: Store, _ user: String) throws -> [UInt8] {
        let name = [2, 3, 0] + Array(user.utf8) + [4, 0] + Array("mail".utf8)
        let options = try #require(store.engine.namespace(named: name)?.options)
        return [options[0]]
    }

    @Test func earlierKeysOpenAndStayUntilAWrite() throws {
        let dump = try earlier()
        let store = try dump.loaded()
        for user in ["ada", "bob"] {
            let mail = store.user(user)["mail"]
            #expect(try mail.value(forKey: "k", as: String.self) == "of \(user)")
            let before = try tags(store, user)
            #expect(before == [5])
            try mail.set("later", forKey: "l", options: .encrypted)
            let after = try tags(store, user)
            #expect(after == [7])
            #expect(try mail.value(forKey: "k", as: String.self) == "of \(user)")
        }
        try store.close()
        let again = try dump.open("/loaded")
        #expect(try again.user("ada")["mail"].value(forKey: "l", as: String.self) == "later")
        #expect(try again.user("ada")["mail"].value(forKey: "k", as: String.self) == "of ada")
        try again.close()
    }

    enum Change: CaseIterable {
        case options, masterKey, dataKeys

        func make(_ store: Store) throws {
            switch self {
            case .options: try store.user("ada")["mail"].setOptions(NamespaceOptions(isEncrypted: true))
            case .masterKey: try store.changeMasterKey(to: SimpleKey())
            case .dataKeys: try store.changeDataKeys()
            }
        }
    }

    @Test(arguments: Change.allCases) func everyChangeOfKeysBindsThem(change: Change) throws {
        let store = try earlier().loaded()
        try change.make(store)
        // After a change of the options, the field for encryption by default comes first.
        let tag = try tags(store, "ada")
        #expect(tag == [change == .options ? 4 : 7])
        #expect(try store.user("ada")["mail"].value(forKey: "k", as: String.self) == "of ada")
        try store.close()
    }
}
