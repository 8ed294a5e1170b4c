import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment
import ShaleSimulation

@testable import ShaleEngine

/// The two ways of copying an open store.
enum CopyKind: CaseIterable, Sendable {
    case checkpoint, frozen

    func copy(_ engine: Engine, to path: String) throws {
        switch self {
        case .checkpoint: try engine.checkpoint(at: path)
        case .frozen: try CopyKind.write(try engine.freeze(), engine, to: path)
        }
    }

    /// Copies like a backup and its restoring, without the backup.
    private static func write(_ store: FrozenStore, _ engine: Engine, to path: String) throws {
        let root = try engine.core.environment.fileSystem.openDirectory(path, create: true)
        let target = try StoreDirectories(root: root, create: true).segments
        let segments = store.state.version.levels.flatMap(\.segments)
        for segment in segments {
            let name = StoreLayout.segment(segment.number)
            try store.segments.link(name, to: name, in: target)
        }
        let environment = engine.core.segmentEnvironment
        let manifest = try Manifest.start(
            in: root, state: store.state, identity: store.identity,
            fileNumbers: FileNumbers(next: store.state.nextFileNumber),
            makeSegment: { Segment(metadata: $0, directory: target, environment: environment) })
        try manifest.close()
    }

    static func open(_ path: String, _ files: SimulatedFileSystem) throws -> Engine {
        try Engine.open(
            at: path, options: TestStore.smallOptions,
            environment: EngineEnvironment(fileSystem: files, random: SeededRandom(seed: 7), scheduling: .inline))
    }
}
