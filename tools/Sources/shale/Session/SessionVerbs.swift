import ArgumentParser

/// The verbs of a session: the subcommands whose first argument is a store.
enum SessionVerbs {
    /// Each as its words.
    static let all: [[String]] = [
        ["get"], ["put"], ["delete"], ["touch"], ["scan"], ["query"], ["batch"], ["import"], ["namespaces"],
        ["collections"], ["options"], ["users"], ["drop"], ["purge"], ["stats"], ["watch"], ["tail"],
        ["report"], ["big"], ["find"], ["diff"],
        ["inspect", "manifest"], ["inspect", "wal"], ["inspect", "segment"], ["inspect", "block"], ["compact"],
        ["verify"], ["repair"], ["keys", "check"], ["keys", "change-master"], ["keys", "change-data"],
        ["checkpoint"], ["backup", "create"], ["backup", "follow"], ["copy"], ["dump"],
    ]

    /// The words that the session itself knows.
    static let own = ["help", "exit"]

    /// The verbs that take keys of the namespace before them.
    private static let takingKeys: Set<String> = ["get", "put", "delete", "touch", "find"]

    /// The verbs that take a namespace behind the store.
    private static let takingNamespaces = takingKeys.union([
        "scan", "import", "options", "drop", "big", "compact", "purge", "copy",
    ])

    /// The verbs that take a collection behind the store.
    private static let takingCollections: Set<String> = ["query", "collections"]

    /// Returns the arguments of the command for the words of a line; `nil` if they begin with no verb.
    static func arguments(_ words: [String], store: String) -> [String]? {
        guard let verb = all.first(where: { words.starts(with: $0) }) else { return nil }
        return verb + [store] + words.dropFirst(verb.count)
    }

    /// Returns the type of the command for a verb.
    static func command(_ verb: [String]) -> (any ParsableCommand.Type)? {
        verb.reduce(ShaleCommand.self as (any ParsableCommand.Type)?) { command, name in
            let configuration = command?.configuration
            let children =
                (configuration?.subcommands ?? []) + (configuration?.groupedSubcommands ?? []).flatMap(\.subcommands)
            return children.first { $0.configuration.commandName == name }
        }
    }

    /// Returns the words that can stand at the end of a line, where it ends with a part of them.
    static func completions(of line: String, store: String) -> [String] {
        let split = SessionLine(line)
        let part = split.endsWithBlank ? "" : split.words.last ?? ""
        let before = split.endsWithBlank ? split.words : Array(split.words.dropLast())
        return candidates(after: before, part, store).filter { $0.hasPrefix(part) }.sorted()
    }

    private static func candidates(after words: [String], _ part: String, _ store: String) -> [String] {
        guard let verb = all.first(where: { words.starts(with: $0) }) else {
            let names = words.first == "help" ? Array(words.dropFirst()) : words
            let verbs = all.filter { $0.starts(with: names) && $0.count > names.count }.map { $0[names.count] }
            return Array(Set(words.isEmpty ? verbs + own : verbs))
        }
        if part.hasPrefix("-") { return options(of: verb) }
        // Values of options are not told from arguments, except that of --user.
        var user: String?
        var arguments: [String] = []
        var rest = words.dropFirst(verb.count)
        while let word = rest.popFirst() {
            if word == "--user" { user = rest.popFirst() } else if !word.hasPrefix("-") { arguments.append(word) }
        }
        if words.last == "--user" { return StoreCompletion.userIDs(at: store) }
        if arguments.isEmpty, takingCollections.contains(verb[0]) {
            return StoreCompletion.collectionNames(at: store, user: user).filter { Shown($0).text == $0 }
        }
        if arguments.isEmpty {
            guard takingNamespaces.contains(verb[0]) else { return [] }
            return StoreCompletion.names(at: store, user: user).filter { Shown($0).text == $0 }
        }
        guard takingKeys.contains(verb[0]), let path = try? NamespacePath(arguments[0], user: user),
            let prefix = Escaping.bytes(ofEscaped: Array(part.utf8))
        else { return [] }
        return StoreCompletion.keys(at: store, in: path, prefix: prefix).map { Shown(key: $0).text }
    }

    private static func options(of verb: [String]) -> [String] {
        guard let command = command(verb) else { return [] }
        let help = ShaleCommand.helpMessage(for: command)
        return Array(Set(help.matches(of: #/--[a-z][a-z0-9-]*/#).map { String($0.output) }))
    }
}
