import Foundation
import Posix
import ShaleEngine

/// The owner whose writes ``BesideCommand`` measures.
struct BesideWriter {
    let entries: Int
    let valueBytes: Int

    static func store(in base: URL) -> String { base.appending(path: "store").path }
    static func backups(in base: URL) -> String { base.appending(path: "backups").path }
    /// The file that tells the other processes to end.
    static func end(of store: String) -> String { store + ".end" }

    /// Writes a new store in random order, and returns the entries in a second.
    func write(in base: URL, beside company: Company) throws -> Double {
        let path = BesideWriter.store(in: base)
        let engine = try Engine.open(at: path)
        let namespace = try engine.createNamespace(named: [1])
        let children = try company.arguments.map { try ChildProcess(try thisProgram, $0) }
        for child in children {
            guard try child.readLine() == "ready" else { throw BenchError("a process beside the owner did not begin") }
        }
        let began = Clock.now
        try fill(engine, namespace)
        let seconds = Clock.seconds(since: began)
        try Data().write(to: URL(filePath: BesideWriter.end(of: path)))
        for child in children {
            guard let line = try child.readLine() else { throw BenchError("a process beside the owner has failed") }
            print("    \(line)")
            _ = try child.wait()
        }
        try engine.close()
        for name in [path, BesideWriter.end(of: path), BesideWriter.backups(in: base)]
        where FileManager.default.fileExists(atPath: name) {
            try FileManager.default.removeItem(atPath: name)
        }
        return Double(entries) / seconds
    }

    func fill(_ engine: Engine, _ namespace: NamespaceID) throws {
        let values = ValuePool(valueBytes: valueBytes, seed: 1)
        let order = Permutation(count: entries, seed: 1)
        var key = KeyBuffer(byteCount: 16)
        for position in 0..<entries {
            let index = order[position]
            key.set(index)
            try engine.put(values.value(index, 0), forKey: key.span, in: namespace)
        }
    }
}
