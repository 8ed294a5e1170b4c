import ShaleBase
import ShaleLog
import ShaleManifest
import ShalePlatform

/// Reads the control operations of a store and the names of its namespaces from the manifests, also while another
/// process writes them. One thread at a time.
///
/// A manifest that the owner replaces is read to its end first, through the open file. So no operation is missed unless
/// two manifests are replaced between two calls. The first record of a manifest holds a whole state, in which the
/// operations before it are no longer separate.
final class ControlFollower {
    /// The names of the namespaces that exist, and of those whose drop was not taken yet.
    private(set) var names: [NamespaceID: [UInt8]] = [:]
    /// The last sequence that a manifest records.
    private(set) var lastSequence: SequenceNumber = 0

    private let directory: any Directory
    private var current: CurrentFile
    private var log: LogFollower
    /// True until the first record of `log` was read.
    private var isAtStart = true
    /// The operations that were not taken yet.
    private var operations: [SequenceNumber: [Engine.Change]] = [:]

    init(in directory: any Directory) throws(StorageError) {
        self.directory = directory
        current = try CurrentFile.read(in: directory)
        log = try ControlFollower.open(current, in: directory)
    }

    private static func open(
        _ current: CurrentFile, in directory: any Directory
    ) throws(StorageError) -> LogFollower {
        LogFollower(
            try Manifest.open(current, in: directory), path: StoreLayout.manifest(current.manifestNumber),
            number: current.manifestNumber, kind: .manifest)
    }

    /// Reads what was added since the last call.
    func readOn() throws(StorageError) {
        let now = try CurrentFile.read(in: directory)
        try readEdits()
        guard now != current else { return }
        guard now.storeID == current.storeID else {
            throw StorageError(.outdated, "the directory holds another store now", file: StoreLayout.current)
        }
        log = try ControlFollower.open(now, in: directory)
        current = now
        isAtStart = true
        try readEdits()
    }

    /// Returns the changes of the operation with `sequence`, once; `nil` if no such operation is known.
    func take(_ sequence: SequenceNumber) -> [Engine.Change]? {
        guard let changes = operations.removeValue(forKey: sequence) else { return nil }
        for change in changes where change.kind == .dropped { names[change.namespace] = nil }
        return changes
    }

    /// Forgets the operations through `sequence`.
    func forget(through sequence: SequenceNumber) {
        for known in operations.keys where known <= sequence { _ = take(known) }
    }

    private func readEdits() throws(StorageError) {
        try log.readOn { (record) throws(StorageError) in
            apply(try ManifestEdit(record, log.path))
            return true
        }
    }

    private func apply(_ edit: ManifestEdit) {
        let isState = isAtStart
        isAtStart = false
        var optionsOf: [NamespaceID] = []
        var last: SequenceNumber?
        for fact in edit.facts {
            switch fact {
            case .namespaceCreated(let record): names[record.id] = record.name
            case .namespaceOptions(let id, _): optionsOf.append(id)
            case .namespaceDropped(let id, let sequence): add(.dropped, id, sequence)
            case .truncated(let id, let sequence): add(.truncated, id, sequence)
            case .purged(let id, let sequence): add(.purged, id, sequence)
            case .lastSequence(let sequence): last = sequence
            default: break
            }
        }
        lastSequence = max(lastSequence, last ?? 0)
        // The edit of new options states their sequence as the last one.
        if !isState, let last { for id in optionsOf { add(.optionsChanged, id, last) } }
    }

    private func add(_ kind: Engine.Change.Kind, _ id: NamespaceID, _ sequence: SequenceNumber) {
        let change = Engine.Change(sequence: sequence, kind: kind, namespace: id, name: names[id] ?? [], key: [])
        operations[sequence, default: []].append(change)
    }
}
