import ShaleBase
import ShaleEngine
import ShalePlatform
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The killed process: it writes to the store from several threads and acknowledges actions that have returned.
final class Child: Sendable {
    private let plan: CyclePlan
    private let path: String
    private let engine: Engine

    init(_ plan: CyclePlan, at path: String) throws {
        self.plan = plan
        self.path = path
        engine = try Engine.open(at: path, options: plan.options)
        try engine.createNamespace(named: WriterSpaces.name(WriterSpaces.shared, writer: 0))
    }

    func run() throws {
        let failure = Locked<(any Error)?>(nil)
        let threads = try (0..<plan.writers).map { writer in
            try WorkerThread.start(name: "writer-\(writer)") { [self] in
                do {
                    try write(as: writer)
                } catch {
                    failure.withLock { $0 = $0 ?? error }
                }
            }
        }
        for thread in threads { thread.join() }
        if let error = failure.withLock({ $0 }) { throw error }
        try engine.close()
        try Acknowledgement.closed.send(to: STDOUT_FILENO)
    }

    private func write(as writer: Int) throws {
        var spaces = Spaces(engine, writer)
        var script = WriterScript(
            cycleSeed: plan.seed, writer: writer, existing: WriterSpaces.own.map { spaces.ids[$0] != nil })
        for index in 0..<plan.actionsMax {
            try perform(script.next(), index, writer, &spaces)
            try Acknowledgement(writer: writer, action: index).send(to: STDOUT_FILENO)
        }
    }

    private func perform(_ action: Action, _ index: Int, _ writer: Int, _ spaces: inout Spaces) throws {
        switch action {
        case .create(let space):
            spaces.ids[space] = try engine.createNamespace(named: WriterSpaces.name(space, writer: writer))
        case .write(let mutations, let isSynced): try write(mutations, isSynced, spaces)
        case .setOptions(let space, let options): try engine.setOptions(options, of: spaces.id(space))
        case .purge(let space): try engine.purge([spaces.id(space)])
        case .truncate(let space): try engine.truncate([spaces.id(space)])
        case .drop(let space): try engine.drop([spaces.id(space)])
        case .sync: try engine.sync()
        case .flush: try engine.flush()
        case .compact: try engine.compact()
        case .reclaim: try engine.reclaim()
        case .checkpoint: try engine.checkpoint(at: CyclePlan.checkpointPath(path, writer: writer, action: index))
        }
    }

    private func write(_ mutations: [Mutation], _ isSynced: Bool, _ spaces: Spaces) throws {
        let durability: Durability? = isSynced ? .synced : nil
        if mutations.count == 1, let mutation = mutations.first {
            let space = try spaces.id(mutation.space)
            guard let value = mutation.value else {
                return try engine.delete(mutation.key, in: space, durability: durability)
            }
            return try engine.put(
                value.bytes, forKey: mutation.key, in: space, options: PutOptions(isPurgeable: mutation.isPurgeable),
                durability: durability)
        }
        var batch = WriteBatch()
        for mutation in mutations {
            let space = try spaces.id(mutation.space)
            if let value = mutation.value {
                try batch.put(
                    value.bytes, forKey: mutation.key, in: space, options: PutOptions(isPurgeable: mutation.isPurgeable)
                )
            } else {
                try batch.delete(mutation.key, in: space)
            }
        }
        try engine.write(batch, durability: durability)
    }
}

/// The ids of a writer's namespaces.
private struct Spaces {
    var ids: [NamespaceID?]

    init(_ engine: Engine, _ writer: Int) {
        ids = (0..<WriterSpaces.count).map { engine.namespace(named: WriterSpaces.name($0, writer: writer))?.id }
    }

    func id(_ space: Int) throws -> NamespaceID {
        guard let id = ids[space] else { throw KillLoopError("the script uses namespace \(space) before it exists") }
        return id
    }
}
