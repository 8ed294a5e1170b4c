import Foundation
import ShaleBase
import ShaleEngine
import ShalePlatform
import TestSupport

/// A store on a disk that is filled and relieved repeatedly, and its expected content.
final class FullDiskCycle {
    private let path: String
    private let random: SeededRandom
    private let options: Engine.Options
    private var engine: Engine
    private var namespaces: [NamespaceID] = []
    /// The expected entries by namespace. Everything in the first is purgeable, nothing in the second.
    private var entries: [[[UInt8]: [UInt8]]] = [[:], [:]]

    private static let patience = Duration.seconds(30)
    /// The free space to wait for, of a disk of 8 MiB. Logs and the manifest keep some; the remaining entries take less
    /// than 1 MiB.
    private static let spaceMin = 2 << 20

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(path: String, seed: UInt64) throws {
        self.path = path
        random = SeededRandom(seed: seed)
        var options = TestStore.smallOptions
        options.memtableBytes = [64, 128, 512][random.below(3)] << 10
        options.mapsLogs = random.chance(0.5)
        options.syncInterval = random.chance(0.5) ? .milliseconds(10) : nil
        self.options = options
        engine = try Engine.open(at: path, options: options)
        for name in ["cache", "kept"] { namespaces.append(try engine.createNamespace(named: Array(name.utf8))) }
    }

    func run() throws {
        try fill()
        try checkContent(engine, "while the disk is full")
        try checkReadOnly()
        try relieve()
        try resume()
        try waitForSpace()
        try checkContent(engine, "after space came back")
        if let problem = try engine.verify().problems.first { throw Failure(description: "verify: \(problem)") }
        if random.chance(0.3) {
            try engine.close()
            engine = try Engine.open(at: path, options: options)
            try checkContent(engine, "after reopening")
        }
    }

    func close() throws { try engine.close() }

    /// Writes until the store refuses; the refusal has to be `.noSpace` and to persist.
    private func fill() throws {
        var refusals = 0
        for _ in 0..<200_000 {
            do {
                try write()
            } catch let error as StorageError where error.code == .noSpace {
                refusals += 1
                if refusals == 20 { return }
            }
        }
        throw Failure(description: "the disk never gets full")
    }

    private func write() throws {
        let isKept = entries[1].count < 300 && random.chance(0.1)
        let key = Array("\(random.below(100_000))".utf8)
        let value = random.bytes(200 + random.below(1500))
        let space = isKept ? 1 : 0
        try engine.put(value, forKey: key, in: namespaces[space], options: PutOptions(isPurgeable: !isKept))
        entries[space][key] = value
    }

    /// Frees space in one of the ways that must work on a full disk.
    private func relieve() throws {
        switch random.below(3) {
        case 0: try engine.purge([namespaces[0]])
        case 1: try engine.truncate([namespaces[0]])
        default: try engine.drop([namespaces[0]])
        }
        entries[0] = [:]
    }

    /// Checks that writes succeed again without intervention.
    private func resume() throws {
        let name = Array("cache".utf8)
        var refusal: StorageError?
        let hasResumed = try eventually(within: FullDiskCycle.patience) {
            do {
                namespaces[0] = try engine.createNamespace(named: name)
                for _ in 0..<20 { try write() }
                return true
            } catch let error as StorageError where error.code == .noSpace {
                refusal = error
                return false
            }
        }
        if !hasResumed, let refusal { throw Failure(description: "writing does not resume: \(refusal)") }
    }

    /// Waits until the freed space is back.
    private func waitForSpace() throws {
        let isBack = try eventually(within: FullDiskCycle.patience) {
            let attributes = try FileManager.default.attributesOfFileSystem(forPath: path)
            guard let free = attributes[.systemFreeSize] as? NSNumber else { return false }
            return free.intValue >= FullDiskCycle.spaceMin
        }
        if !isBack { throw Failure(description: "space does not come back") }
    }

    private func checkContent(_ engine: Engine, _ when: String) throws {
        for (space, expected) in entries.enumerated() {
            guard engine.namespaces.contains(where: { $0.id == namespaces[space] }) else {
                if expected.isEmpty { continue }
                throw Failure(description: "a namespace is missing \(when)")
            }
            let shown = try engine.entries(in: namespaces[space])
            guard shown.count == expected.count, shown.allSatisfy({ expected[$0.key] == $0.value }) else {
                throw Failure(
                    description: "namespace \(space) shows \(shown.count) entries, not \(expected.count), \(when)")
            }
        }
    }

    /// Checks that opening for reading needs no space.
    private func checkReadOnly() throws {
        try engine.sync()
        var options = options
        options.mode = .readOnly
        try checkContent(Engine.open(at: path, options: options), "in a store opened for reading")
    }
}
