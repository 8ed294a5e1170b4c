import Shale
import ShaleBase
import TestSupport
import Testing

@testable import ShaleMaintenance

/// The data keys of a namespace authenticate the options that its writes use.
///
/// So an attacker with a dump can't have later writes stored in the clear, kept longer, or purged.
@Suite struct DowngradedOptionsTests {
    private func vault(written: Bool = true) throws -> EditedDump {
        try EditedDump { store in
            try store.common["vault"].setOptions(
                NamespaceOptions(isPurgeable: true, timeToLive: .seconds(3600), isEncrypted: true))
            if written { try store.common["vault"].set("first", forKey: "a") }
            try store.common["plain"].set(1, forKey: "n")
        }
    }

    enum Use: CaseIterable {
        case set, write, transaction, get, options

        func failure(_ vault: Store.Namespace, _ store: Store) -> StorageError.Code? {
            code { () throws(StorageError) in try make(vault, store) }
        }

        private func make(_ vault: Store.Namespace, _ store: Store) throws(StorageError) {
            switch self {
            case .set: try vault.set("later secret", forKey: "b")
            case .write: try write(vault, store)
            case .transaction: try transact(vault, store)
            case .get: _ = try vault.value(forKey: "a", as: String.self)
            case .options: _ = try vault.options
            }
        }

        private func write(_ vault: Store.Namespace, _ store: Store) throws(StorageError) {
            try store.write { (batch) throws(StorageError) in
                try batch.set("later secret", forKey: "b", in: vault)
            }
        }

        private func transact(_ vault: Store.Namespace, _ store: Store) throws(StorageError) {
            try store.transaction { (transaction) throws(StorageError) in
                try transaction.set("later secret", forKey: "b", in: vault)
            }
        }
    }

    /// Expects that every use of the namespace fails before anything is written.
    private func expectFailure(_ dump: EditedDump, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let store = try dump.loaded()
        let vault = store.common["vault"]
        for use in Use.allCases {
            #expect(use.failure(vault, store) == .authenticationFailed, "\(use)", sourceLocation: sourceLocation)
        }
        // All other namespaces work, and dropping the changed namespace makes it usable again.
        #expect(try store.common["plain"].value(forKey: "n", as: Int.self) == 1, sourceLocation: sourceLocation)
        try vault.drop()
        #expect(try vault.value(forKey: "a", as: String.self) == nil, sourceLocation: sourceLocation)
        try store.close()
        #expect(dump.file(below: "/loaded", with: "later secret") == nil, sourceLocation: sourceLocation)
    }

    @Test func aDumpAsItIsKeepsItsOptions() throws {
        let store = try vault().loaded()
        #expect(try store.common["vault"].options.isEncrypted)
        #expect(try store.common["vault"].value(forKey: "a", as: String.self) == "first")
        try store.close()
    }

    @Test(arguments: [1, 2, 4] as [UInt16]) func anOptionThatIsMissingIsNoticed(tag: UInt16) throws {
        var dump = try vault()
        try dump.editNamespaces { line in line.options.removeAll { $0.tag == tag } }
        try expectFailure(dump)
    }

    @Test func anOptionThatWasChangedIsNoticed() throws {
        var dump = try vault()
        try dump.editNamespaces { line in
            line.options = line.options.map { $0.tag == 2 ? ($0.tag, [1, 0, 0, 0, 0, 0, 0, 0]) : $0 }
        }
        try expectFailure(dump)
    }

    /// A namespace that encrypts by default has a data key from its creation, which authenticates its options.
    @Test func optionsOfANamespaceWithoutEntriesAreAuthenticated() throws {
        var dump = try vault(written: false)
        try dump.editNamespaces { line in line.options.removeAll { $0.tag == 4 } }
        try expectFailure(dump)
    }

    /// A store that has data keys but no record of the master key must not get a new master key.
    @Test func aMissingKeyRecordIsNoticed() throws {
        var dump = try vault()
        let name = "\"name64\":\"AwQAa2V5cw==\""
        #expect(dump.lines.contains { $0.contains(name) })
        dump.removeLines { $0.contains(name) }
        #expect(code { () throws(StorageError) in try dump.loaded() } == .authenticationFailed)
    }
}
