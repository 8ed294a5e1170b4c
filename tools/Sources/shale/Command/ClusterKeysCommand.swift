import ArgumentParser
import ShaleCluster
import Synchronization

struct ClusterDataKeyCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "change-data",
        abstract: "Gives a namespace on a cluster a new data key and encrypts its values again.",
        discussion: """
            EXAMPLES
              shale cluster change-data rados:POOL/carts --key-file store.key
              shale cluster change-data rados:POOL/carts --key-env KEY --json

            All clients may read and write meanwhile. Interrupting the command loses
            nothing: every value can be read with the old or the new key, and the next run,
            on any machine, finishes the change.
            """)

    @OptionGroup var place: ClusterPlaceArgument
    @OptionGroup(title: "Cluster") var cluster: ClusterOptions
    @OptionGroup(title: "Keys of encrypted stores") var keys: KeyOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let name = try place.value.requireNamespace()
        let encryption = try keys.encryption(asks: true)
        let state = KeyChangeState()
        let progress = Progress("keys", isQuiet: output.quiet)
        defer { progress.erase() }
        Interruption.catchIt()
        let report: KeyChangeReport
        do {
            report = try cluster.with(
                place.value, encryption,
                showing: {
                    guard let step = state.step.withLock({ $0 }) else { return }
                    progress.update(
                        fraction: step.fraction,
                        "\(Figures.count(step.examined, "entry", "entries")), "
                            + "\(Figures.count(step.rewritten)) rewritten")
                }
            ) { (cluster) in
                try await cluster.existingNamespace(name).changeDataKey { step in
                    state.step.withLock { $0 = step }
                }
            }
        } catch let error as StorageError where error.code == .cancelled {
            throw StorageError(.cancelled, "interrupted: both keys stay, and the next run finishes the change")
        }
        progress.erase()
        try ClusterDataKeyReport(
            rewritten: report.rewritten, isResumed: report.isResumed, seconds: progress.elapsed.seconds
        ).show(output)
    }
}

/// The progress of a change of a data key.
private final class KeyChangeState: Sendable {
    let step = Mutex<KeyChangeProgress?>(nil)
}

struct ClusterDataKeyReport: Report {
    static let command = "cluster change-data"

    /// The number of values encrypted again.
    let rewritten: Int
    /// True if this run finished an earlier change.
    let isResumed: Bool
    let seconds: Double

    func text() -> Shown {
        let what: Shown = isResumed ? "finished an earlier change" : "changed the data key"
        return "\(what): \(Figures.count(rewritten, "value")) encrypted again in "
            + Figures.duration(.seconds(seconds))
    }
}

struct ClusterMasterKeyCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "change-master",
        abstract: "Gives a namespace on a cluster another master key.",
        discussion: """
            EXAMPLES
              shale keys make new.key
              shale cluster change-master rados:POOL/n --key-file old --new-key-file new

            One step: until it only the old key opens the namespace, afterwards only the
            new one. Keep the new key before. Clients that are open go on with their old
            key until the data key changes: open them again before.
            """)

    @OptionGroup var place: ClusterPlaceArgument
    @OptionGroup(title: "Cluster") var cluster: ClusterOptions
    @OptionGroup(title: "Keys of encrypted stores") var keys: KeyOptions
    @OptionGroup(title: "The new key") var newKeys: NewKeyOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let name = try place.value.requireNamespace()
        let (encryption, source) = (try keys.encryption(asks: true), try newKeys.source())
        try cluster.with(place.value, encryption) { (cluster) in
            try await cluster.existingNamespace(name).changeMasterKey(to: source)
        }
        try ClusterMasterKeyReport().show(output)
    }
}

struct ClusterMasterKeyReport: Report {
    static let command = "cluster change-master"

    let isChanged = true

    func text() -> Shown { "the namespace has a new master key: the old one does not open it any more" }
}
