import Shale
import ShaleBase
import TestSupport
import Testing

@testable import ShaleMaintenance

/// The data keys of a namespace authenticate its name. Exchanging two names in a dump gives no user
/// access to another user's values.
@Suite struct ExchangedNamesTests {
    private func secrets() throws -> EditedDump {
        try EditedDump { store in
            for user in ["ada", "bob"] {
                try store.user(user)["mail"].set("the secret of \(user)", forKey: "k", options: .encrypted)
            }
            try store.common["a"].set("of a", forKey: "k", options: .encrypted)
            try store.common["a"].child("b").set("of a, b", forKey: "k", options: .encrypted)
        }
    }

    private func read(_ namespace: Store.Namespace) -> StorageError.Code? {
        code { () throws(StorageError) in try namespace.value(forKey: "k", as: String.self) }
    }

    @Test func aDumpAsItIsReadsTheSame() throws {
        let store = try secrets().loaded()
        #expect(try store.user("ada")["mail"].value(forKey: "k", as: String.self) == "the secret of ada")
        #expect(try store.common["a"].child("b").value(forKey: "k", as: String.self) == "of a, b")
        try store.close()
    }

    @Test func usersThatWereExchangedReadNothing() throws {
        var dump = try secrets()
        try dump.editNamespaces { line in
            if let user = line.members["user"] as? String { line.members["user"] = user == "ada" ? "bob" : "ada" }
        }
        let store = try dump.loaded()
        for user in ["ada", "bob"] {
            let mail = store.user(user)["mail"]
            #expect(read(mail) == .authenticationFailed)
            #expect(
                code { () throws(StorageError) in try mail.set(1, forKey: "new", options: .encrypted) }
                    == .authenticationFailed)
            #expect(code { () throws(StorageError) in try mail.object(forKey: "k") } == .authenticationFailed)
        }
        #expect(try store.common["a"].value(forKey: "k", as: String.self) == "of a")
        try store.close()
    }

    @Test func pathsThatWereExchangedReadNothing() throws {
        var dump = try secrets()
        try dump.editNamespaces { line in
            let path = line.members["path"] as? [String]
            if path == ["a"] { line.members["path"] = ["a", "b"] }
            if path == ["a", "b"] { line.members["path"] = ["a"] }
        }
        let store = try dump.loaded()
        #expect(read(store.common["a"]) == .authenticationFailed)
        #expect(read(store.common["a"].child("b")) == .authenticationFailed)
        try store.close()
    }

    @Test func aUsersNamespaceDoesNotBecomeACommonOne() throws {
        var dump = try secrets()
        try dump.editNamespaces { line in
            if line.members["user"] as? String == "ada" {
                line.members["user"] = nil
                line.members["path"] = ["public"]
            }
        }
        let store = try dump.loaded()
        #expect(read(store.common["public"]) == .authenticationFailed)
        try store.close()
    }
}
