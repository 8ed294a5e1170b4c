import Posix

/// A file with the increments of a client, which survives the death of the client.
///
/// The first line is a number of increments. Behind it, `t` stands before each later increment, and `d` after it.
final class Ledger {
    private let path: String
    private let descriptor: Int32

    /// Compares a ledger with the number of increments in the client's store, and begins a new one with that number.
    ///
    /// - Throws: ``TrialFailure`` if an acknowledged increment is missing, or there is one that was never made.
    init(_ path: String, found: Int) throws {
        self.path = path
        if let (acknowledged, tried) = try Ledger.counts(path), !(acknowledged...tried ~= found) {
            throw TrialFailure("\(path): \(found) increments, \(acknowledged) acknowledged and \(tried) tried")
        }
        let new = path + ".new"
        descriptor = unsafe open(new, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemCallError("open", new) }
        try writeFully(Array("\(found)\n".utf8), to: descriptor, named: new)
        guard unsafe rename(new, path) == 0 else { throw SystemCallError("rename", new) }
    }

    deinit { _ = close(descriptor) }

    func willIncrement() throws { try writeFully([UInt8(ascii: "t")], to: descriptor, named: path) }
    func didIncrement() throws { try writeFully([UInt8(ascii: "d")], to: descriptor, named: path) }

    /// Returns the increments that were acknowledged and those that were begun; `nil` if there is no ledger.
    static func counts(_ path: String) throws -> (acknowledged: Int, tried: Int)? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw SystemCallError("open", path)
        }
        defer { _ = close(file) }
        var bytes: [UInt8] = []
        while try readMore(into: &bytes, upTo: 1 << 16, from: file, named: path) {}
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        guard lines.count == 2, let base = Int(String(decoding: lines[0], as: UTF8.self)) else {
            throw TrialFailure("\(path) is no ledger")
        }
        let done = lines[1].count { $0 == UInt8(ascii: "d") }
        return (base + done, base + lines[1].count - done)
    }
}
