import Foundation
import Posix
import ShaleEngine

/// The common part of the processes beside the writer of ``BesideCommand``, which read its store in steps until it ends
/// and answer in lines.
enum BesideLoop {
    /// Opens the store at `path` beside its owner, says so, and takes steps until the writer has ended. A step replaces
    /// the engine by a refreshed one.
    static func run(at path: String, _ step: (inout Engine) throws -> Void) throws {
        var options = Engine.Options()
        options.mode = .readOnly
        var reader = try Engine.open(at: path, options: options)
        try say("ready")
        while !FileManager.default.fileExists(atPath: BesideWriter.end(of: path)) { try step(&reader) }
    }

    /// Writes a line with the process's resources so far.
    static func report(_ result: String) throws {
        try say("\(result), processor \(String(format: "%.3f", Resources.cpuSeconds)) s")
    }

    private static func say(_ line: String) throws {
        try writeFully(Array("\(line)\n".utf8), to: STDOUT_FILENO, named: "standard output")
    }
}
