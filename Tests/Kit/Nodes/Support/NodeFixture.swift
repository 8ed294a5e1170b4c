import Foundation
import ShaleNodes
import Testing

#if Encryption
    import ShaleVault
#endif

/// All back ends of nodes, in a folder that is removed with the fixture.
final class NodeFixture {
    let folder = FileManager.default.temporaryDirectory.path + "/shale-nodes-\(UUID().uuidString)"
    let store: Store
    let values: NamespaceStorage
    let files: FileStorage
    #if Encryption
        let vault: Vault
        let secrets: VaultStorage
    #endif

    init() throws {
        store = try Store(at: folder)
        values = NamespaceStorage(store.common["nodes"], of: store)
        files = try FileStorage(at: folder + "/../\(URL(fileURLWithPath: folder).lastPathComponent)-files/tree")
        #if Encryption
            vault = try Vault(at: folder + "-vault", keys: .key(try SecretKey()))
            secrets = VaultStorage(vault, service: "test")
        #endif
    }

    deinit {
        do {
            try store.close()
            #if Encryption
                try vault.close()
                try FileManager.default.removeItem(atPath: folder + "-vault")
            #endif
            try FileManager.default.removeItem(atPath: folder)
            try FileManager.default.removeItem(atPath: folder + "-files")
        } catch {
            Issue.record("could not remove \(folder): \(error)")
        }
    }

    var filesFolder: String { folder + "-files/tree" }

    /// Runs `body` with a storage of each kind.
    func forEach(_ body: (any CodableStorage) throws -> Void) throws {
        try body(values)
        try body(files)
        #if Encryption
            try body(secrets)
        #endif
    }
}

/// Names with a special meaning for file systems or separators, and other unusual names.
let hostileNames = [
    "", ".", "..", "...", "/", "../x", "../../etc/passwd", "a/b", "/a", "a/", ".hidden", "a.b", "a.b.c", "\0", "a\0b",
    "~", "-", "--", "-2e", "k-", "keys", "nodes", "c-a", "%2e", "con", "A", "a", "Aa", "é", "e\u{301}", "ﬀ", "👩‍👩‍👧",
    "\u{FEFF}", "\n", "\\", "*", "\"", String(repeating: "x", count: 200), String(repeating: "x", count: 201),
    String(repeating: "y", count: 10_000), String(repeating: "../", count: 3_333), String(repeating: "🙂", count: 4_000),
    String(repeating: "🙂", count: 10_000), String(repeating: "🙂", count: 9_999) + "🙃",
    String(repeating: "👩‍👩‍👧", count: 10_000), "\0names",
]
