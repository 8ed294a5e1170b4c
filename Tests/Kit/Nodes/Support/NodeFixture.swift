import Foundation
import ShaleKit
import ShaleSimulation
import Testing

#if Encryption
    import ShaleEncryption
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

/// Nine writes of their own numbers to three storages, each under one of two keys, and the permitted values after a
/// crash.
///
/// Each key has its old value or its new one, and every returned write is there.
struct NumberedWrites<Storage: CodableStorage> {
    static var count: Int { 9 }

    let storages: [Storage]
    let keys: [String]

    /// Writes to three storages, under two keys.
    init(_ storages: [Storage], keys: [String]) {
        self.storages = storages
        self.keys = keys
    }

    /// Makes the writes and returns the crashes. The marks are the numbers of returned writes.
    func crashes(_ files: SimulatedFileSystem) throws -> [RecordedCrash<Int>] {
        var done = 0
        return try files.crashes(mark: { done }) {
            while done < Self.count {
                try storages[done % 3].set(done, forKey: keys[done % 2])
                done += 1
            }
        }
    }

    /// Checks the storages that a crash left.
    func expectOldOrNew(after crash: RecordedCrash<Int>) throws {
        for (index, storage) in storages.enumerated() {
            for (parity, key) in keys.enumerated() {
                let numbers = (0..<Self.count).filter { $0 % 3 == index && $0 % 2 == parity }
                let value = try storage.value(forKey: key, as: Int.self)
                // The newest returned write, or the write in progress.
                let last = numbers.last { $0 < crash.mark }
                #expect(value == last || (value == crash.mark && numbers.contains(crash.mark)), "\(crash.place)")
            }
        }
    }
}
