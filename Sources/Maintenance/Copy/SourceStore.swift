import ShaleBase
import ShaleEngine
import ShaleManifest
import ShalePlatform

/// A store that is read as a whole, as of the moment when it was opened, also while another process has it open.
struct SourceStore {
    let engine: Engine
    let identity: CurrentFile
    /// The bytes of keys and values in segments, including dead ones. For progress.
    let dataBytes: UInt64

    init(
        at path: String, _ options: EngineOptions, _ environment: EngineEnvironment
    ) throws(StorageError) {
        var options = options
        options.mode = .readOnly
        engine = try Engine.open(at: path, options: options, environment: environment)
        let root: any Directory
        do { root = try environment.fileSystem.openDirectory(path, create: false) } catch { throw error.storageError }
        identity = try CurrentFile.read(in: root)
        dataBytes = engine.statistics.levels.reduce(0) { $0 + $1.rawBytes }
    }
}
