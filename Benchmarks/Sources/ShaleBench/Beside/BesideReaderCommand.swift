import ArgumentParser
import Foundation
import ShaleEngine

/// A reader of ``BesideCommand``.
struct BesideReaderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beside-reader", abstract: "Refreshes a store until its writer has ended.", shouldDisplay: false)

    @Argument var path: String
    @Argument var hertz: Int
    @Argument var lookups: Int

    func run() throws {
        var (refreshes, longest, last) = (0, 0.0, UInt64(0))
        var key = KeyBuffer(byteCount: 16)
        try BesideLoop.run(at: path) { reader in
            let began = Clock.now
            reader = try reader.refreshed()
            longest = max(longest, Clock.seconds(since: began))
            refreshes += 1
            let found = reader.statistics.lastSequence
            guard found >= last else { throw BenchError.wrong("sequence \(found) after \(last)") }
            last = found
            if lookups > 0 { try lookUp(in: reader, &key) }
            Thread.sleep(forTimeInterval: 1 / Double(hertz))
        }
        try BesideLoop.report("\(refreshes) refreshes, longest \(Int(longest * 1e6)) us")
    }

    private func lookUp(in reader: Engine, _ key: inout KeyBuffer) throws {
        guard let namespace = reader.namespace(named: [1])?.id else { throw BenchError("the store has no namespace") }
        for index in 0..<lookups {
            key.set(index)
            _ = try reader.contains(key: key.span, in: namespace)
        }
    }
}
