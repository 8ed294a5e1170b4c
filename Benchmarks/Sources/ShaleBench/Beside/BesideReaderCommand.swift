import ArgumentParser
import Foundation
import Posix
import ShaleEngine

/// A reader of ``BesideCommand``.
struct BesideReaderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beside-reader", abstract: "Refreshes a store until its writer has ended.", shouldDisplay: false)

    @Argument var path: String
    @Argument var hertz: Int
    @Argument var lookups: Int

    func run() throws {
        var options = Engine.Options()
        options.mode = .readOnly
        var reader = try Engine.open(at: path, options: options)
        guard let namespace = reader.namespace(named: [1])?.id else { throw BenchError("the store has no namespace") }
        try writeFully(Array("ready\n".utf8), to: STDOUT_FILENO, named: "standard output")
        var (refreshes, longest, last) = (0, 0.0, UInt64(0))
        var key = KeyBuffer(byteCount: 16)
        while !FileManager.default.fileExists(atPath: BesideWriter.end(of: path)) {
            let began = Clock.now
            reader = try reader.refreshed()
            longest = max(longest, Clock.seconds(since: began))
            refreshes += 1
            let found = reader.statistics.lastSequence
            guard found >= last else { throw BenchError.wrong("sequence \(found) after \(last)") }
            last = found
            for index in 0..<lookups {
                key.set(index)
                _ = try reader.contains(key: key.span, in: namespace)
            }
            Thread.sleep(forTimeInterval: 1 / Double(hertz))
        }
        let line =
            "\(refreshes) refreshes, longest \(Int(longest * 1e6)) us, "
            + "processor \(String(format: "%.3f", Resources.cpuSeconds)) s\n"
        try writeFully(Array(line.utf8), to: STDOUT_FILENO, named: "standard output")
    }
}
