import ShaleEncryption
import Synchronization

/// Reads passphrases: from files that are closed to other users, from descriptors, from the terminal.
enum Passphrase {
    private static let bytesMax = 4096

    /// Returns the first line of a file of this user that no other user may read.
    static func read(file path: String) throws -> String {
        let descriptor = try InputFile.privateDescriptor(path, "passphrase file")
        defer { _ = close(descriptor) }
        return try read(descriptor, named: path)
    }

    /// Returns the first line read from a descriptor.
    static func read(_ descriptor: Int32, named name: String) throws -> String {
        var bytes: [UInt8] = []
        while !bytes.contains(0x0a), bytes.count <= bytesMax,
            try readMore(into: &bytes, upTo: bytesMax + 1 - bytes.count, from: descriptor, named: name)
        {}
        let line = Array(bytes.prefix { $0 != 0x0a })
        guard !line.isEmpty, line.count <= bytesMax, let text = String(validating: line, as: UTF8.self) else {
            throw ToolFailure.key("\(name): the first line is not a passphrase of 1 to \(bytesMax) bytes of UTF-8")
        }
        return text
    }

    /// Asks at the terminal, even if standard input is something else; twice with `confirming`.
    static func ask(_ prompt: Shown = "Passphrase: ", confirming: Bool) throws -> String {
        let terminal = try HiddenInput()
        let text = try terminal.line(prompt)
        guard !text.isEmpty else { throw ToolFailure.key("the passphrase is empty") }
        if confirming, try terminal.line("Repeat it: ") != text { throw ToolFailure.key("the passphrases differ") }
        return text
    }
}

/// A key from a passphrase. The user is asked for it at the terminal when the store turns out to need a key.
final class AskedKey: KeyProvider {
    private let isNew = Mutex(false)

    func makeParameters() throws(StorageError) -> [UInt8] {
        isNew.withLock { $0 = true }
        // Salt and costs do not depend on the passphrase.
        return try KeySource.passphrase("").makeParameters()
    }

    func key(for parameters: [UInt8]) throws(StorageError) -> SecretKey {
        guard !parameters.isEmpty else {
            throw StorageError(
                .missingKey, "the store's key is not derived from a passphrase: name its file with --key-file")
        }
        let text: String
        do {
            text = try Passphrase.ask(confirming: isNew.withLock { $0 })
        } catch {
            throw StorageError(.missingKey, "no key was named, and there is no passphrase: \(error)")
        }
        return try KeySource.passphrase(text).key(for: parameters)
    }
}
