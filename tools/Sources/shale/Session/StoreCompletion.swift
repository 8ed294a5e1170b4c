import ArgumentParser
import Shale
import ShaleCollections

/// Completes arguments with what the named store contains, for the shells' completion scripts.
///
/// Completion reports nothing: what can't be read is not offered.
enum StoreCompletion {
    static let namespaces = CompletionKind.custom { words, _, prefix in
        offered(storePath(in: words).map { names(at: $0, user: user(in: words)) } ?? [], prefix)
    }

    static let collections = CompletionKind.custom { words, _, prefix in
        offered(storePath(in: words).map { collectionNames(at: $0, user: user(in: words)) } ?? [], prefix)
    }

    static let users = CompletionKind.custom { words, _, prefix in
        offered(storePath(in: words).map { userIDs(at: $0) } ?? [], prefix)
    }

    /// Returns the namespaces of a space, as arguments name them. Without a user they are those of the common space.
    static func names(at path: String, user: String?) -> [String] {
        reading(path) { store in
            store.engine.namespaces.compactMap { NamespacePath(catalogueName: $0.name) }
                .filter { $0.user == user }.map(\.text)
        }
    }

    /// Returns the collections of a space: those in the namespace `collections` by their names, others by their
    /// namespaces.
    static func collectionNames(at path: String, user: String?) -> [String] {
        reading(path) { store in
            store.collectionNamespaces.filter { $0.space.userID == user }.map { namespace in
                let isNamed = namespace.path.count == 2 && namespace.path[0] == "collections"
                return NamespacePath(
                    user: user, components: isNamed ? Array(namespace.path.dropFirst()) : namespace.path
                ).text
            }
        }
    }

    static func userIDs(at path: String) -> [String] { reading(path, \.userIDs) }

    /// Returns the keys that begin with `prefix`, at most 200.
    static func keys(at path: String, in namespace: NamespacePath, prefix: [UInt8]) -> [[UInt8]] {
        reading(path) { store in try store.namespace(namespace).keys(prefix: prefix).array(limit: 200).map(\.bytes) }
    }

    private static func reading<Item>(_ path: String, _ body: (Store) throws -> [Item]) -> [Item] {
        do {
            let store = try StoreAccess.open(path, .readOnly)
            let items = try body(store)
            try store.close()
            return items
        } catch {
            return []
        }
    }

    /// Returns the names that begin with `prefix` and mean nothing to a shell. Bash expands the words that it is
    /// offered, so a name with a substitution in it would run a command.
    private static func offered(_ names: [String], _ prefix: String) -> [String] {
        names.filter { $0.hasPrefix(prefix) && isHarmless($0) }.sorted()
    }

    static func isHarmless(_ name: String) -> Bool {
        !name.isEmpty
            && name.unicodeScalars.allSatisfy { scalar in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".", "/", "@", "%", "+", ",", ":", "=": true
                default: scalar.value >= 0x80 && !Escaping.isUnsafe(scalar) && !scalar.properties.isWhitespace
                }
            }
    }

    /// Returns the store's directory: the first word behind the command's name that is the directory of a store.
    private static func storePath(in words: [String]) -> String? {
        words.dropFirst().lazy.map(expanded).first { unsafe access("\($0)/CURRENT", F_OK) == 0 }
    }

    /// Returns a path without the escapes and the tilde that the shell would expand.
    private static func expanded(_ word: String) -> String {
        let plain = word.filter { $0 != "\\" && $0 != "\"" && $0 != "'" }
        guard plain.hasPrefix("~/"), let home = Terminal.environment("HOME") else { return plain }
        return home + plain.dropFirst()
    }

    private static func user(in words: [String]) -> String? {
        for (index, word) in words.enumerated() {
            if word == "--user", index + 1 < words.count { return words[index + 1] }
            if word.hasPrefix("--user=") { return String(word.dropFirst(7)) }
        }
        return nil
    }
}
