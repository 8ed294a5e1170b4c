import ArgumentParser
import ShaleCluster
import ShaleMaintenance

struct CopyCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Makes a compact copy of a store, or copies a namespace to or from a cluster.",
        discussion: """
            EXAMPLES
              shale copy DIR --into NEWDIR
              shale copy DIR --into NEWDIR --compression zstd:9
              shale copy DIR carts --to rados:POOL/carts --shards 64 --verify
              shale copy DIR carts --from rados:POOL/carts --verify

            --into: the copy holds the live entries only, compacted. Works on a store that
            is in use, and copies its state at one moment. NEWDIR becomes a store only when
            the copy is complete. Encrypted values are copied as they are.

            --to, --from: copies the entries of one namespace at one moment, with types,
            expiry and purgeability. Only what the target lacks or has differently is
            written, so an interrupted copy is continued by the same command. Entries that
            only the target has stay. --verify then compares both sides and ends with code 1
            if they differ. The namespace of the cluster, or the store, is made if it does
            not exist. Encrypted values need the key, which both sides use.
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var place: OptionalNamespaceArguments

    @Option(
        help: ArgumentHelp("The new store's directory, which must be absent or empty.", valueName: "dir"),
        completion: .directory)
    var into: String?

    @Option(help: ArgumentHelp("The namespace of a cluster to copy to.", valueName: "rados:pool/namespace"))
    var to: ClusterPlace?

    @Option(help: ArgumentHelp("The namespace of a cluster to copy from.", valueName: "rados:pool/namespace"))
    var from: ClusterPlace?

    @Flag(help: "Compare both sides after a copy to or from a cluster.")
    var verify = false

    @OptionGroup var writing: CompressionOption
    @OptionGroup(title: "A new namespace of a cluster") var layout: LayoutOptions
    @OptionGroup(title: "Cluster") var cluster: ClusterOptions
    @OptionGroup(title: "Keys of encrypted stores") var keys: KeyOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        guard [into != nil, to != nil, from != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("name one target or source: --into, --to or --from")
        }
        guard (into == nil) != (place.namespace == nil) else {
            throw ValidationError(
                into == nil ? "--to and --from need a namespace of the store" : "--into copies the whole store")
        }
        guard into == nil || !verify else { throw ValidationError("--verify needs --to or --from") }
        guard to != nil || !layout.isGiven else { throw ValidationError("the options of a new namespace need --to") }
    }

    func run() throws {
        if let into {
            try Self.copy(store.path, into: into, writing.engineOptions, isQuiet: output.quiet).show(output)
        } else if let to {
            try send(to)
        } else if let from {
            try receive(from)
        }
    }

    static func copy(
        _ path: String, into target: String, _ options: Engine.Options, isQuiet: Bool
    ) throws -> CopiedReport {
        let progress = Progress("copy", isQuiet: isQuiet)
        defer { progress.erase() }
        Interruption.catchIt()
        let done = try Maintenance.copy(
            storeAt: path, into: target, options: options, progress: progress.updateMaking)
        return CopiedReport(
            entries: done.entries, storedBytes: done.storedBytes, seconds: progress.elapsed.seconds)
    }

    // MARK: Clusters

    private func namespacePath() throws -> NamespacePath {
        guard let path = try place.path() else { throw ToolFailure.usage("name a namespace of the store") }
        return path
    }

    private func send(_ target: ClusterPlace) throws {
        let (path, name) = (try namespacePath(), try target.requireNamespace())
        let encryption = try keys.encryption(asks: false)
        let store = try StoreAccess.open(self.store.path, .readOnly, encryption: encryption)
        let namespace = try store.existingNamespace(path)
        let statistics = try store.identifier(of: path).map { try store.engine.statistics(of: $0) }
        let made = layout.layout(
            try namespace.options, entries: statistics?.entries ?? 0, bytes: statistics?.rawBytes ?? 0)
        let isLayoutGiven = layout.isGiven
        let copy = ClusterCopy(store, namespace, isVerified: verify)
        let report = try run(copy, target, encryption) { (cluster) in
            let target: ClusterNamespace
            do {
                // An existing namespace keeps its layout, unless another one was asked for.
                target =
                    isLayoutGiven
                    ? try await cluster.createNamespace(name, layout: made) : try await cluster.namespace(name)
            } catch let error as StorageError where error.code == .missing {
                return try await copy.send(to: try await cluster.createNamespace(name, layout: made))
            }
            return try await copy.send(to: target)
        }
        try store.close()
        try show(report)
    }

    private func receive(_ source: ClusterPlace) throws {
        let (path, name) = (try namespacePath(), try source.requireNamespace())
        let encryption = try keys.encryption(asks: false)
        let store = try StoreAccess.open(self.store.path, .createIfMissing, encryption: encryption)
        let copy = ClusterCopy(store, store.namespace(path), isVerified: verify)
        let report = try run(copy, source, encryption) { (cluster) in
            try await copy.receive(from: try await cluster.existingNamespace(name))
        }
        try store.close()
        try show(report)
    }

    /// Runs a copy with a connection to the cluster of a place.
    private func run(
        _ copy: ClusterCopy, _ place: ClusterPlace, _ encryption: StoreEncryption?,
        _ body: @escaping @Sendable (ClusterStore) async throws -> (NamespaceCopy.Report, NamespaceDifference?)
    ) throws -> ClusterCopyReport {
        let progress = Progress("copy", isQuiet: output.quiet)
        defer { progress.erase() }
        Interruption.catchIt()
        do {
            let (report, difference) = try cluster.with(
                place, encryption, showing: { progress.update(fraction: nil, copy.state) }, body)
            return ClusterCopyReport(report, difference, seconds: progress.elapsed.seconds)
        } catch let error as StorageError where error.code == .cancelled {
            throw StorageError(
                .cancelled, "interrupted: what was copied stays, and the same command continues the copy")
        }
    }

    private func show(_ report: ClusterCopyReport) throws {
        try report.show(output)
        if report.verification?.isEqual == false { throw ExitCode(ExitStatus.different.rawValue) }
    }
}

struct CopiedReport: Report {
    static let command = "copy"

    let entries: UInt64
    let storedBytes: UInt64
    let seconds: Double

    func text() -> Shown {
        let time = Duration.seconds(seconds)
        return "\(Figures.count(entries, "entry", "entries")), \(Figures.bytes(storedBytes)), in "
            + "\(Figures.duration(time)): \(Figures.rate(entries, time))"
    }
}
