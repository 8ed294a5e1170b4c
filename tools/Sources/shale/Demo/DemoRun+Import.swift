import Shale

extension DemoRun {
    /// Reads the package lists once, to determine the content that the store must have.
    func readSource(_ sources: DemoSources) throws -> (ImportInput, [[Record]]) {
        try say("1. Source: \(Figures.count(sources.stanzaFiles.count, "list")) of packages")
        for file in sources.stanzaFiles { try say("     \(file)") }
        let shape = RecordShape(
            keyFields: StanzaReader.defaultKeyFields, purgeableField: DemoRun.descriptions.components.last)
        var input = ImportInput(files: sources.stanzaFiles, format: .control, shape: shape)
        let count = try count(input)
        // Makes enough batches for the kill to come between two, even with little data.
        input.batchRecords = max(1, min(512, count / 64))
        var reader = input.batches()
        var batches: [[Record]] = []
        while let batch = try reader.next() { batches.append(batch) }
        figures.sourceRecords = count
        figures.sourceBytes = reader.readBytes
        try say("     \(Figures.count(count)) stanzas, \(Figures.bytes(reader.readBytes))")
        return (input, batches)
    }

    private func count(_ input: ImportInput) throws -> Int {
        var reader = input.batches()
        var count = 0
        while let batch = try reader.next() { count += batch.count }
        return count
    }

    private func importArguments(_ input: ImportInput) -> [String] {
        ["import", storePath, DemoRun.packages.text] + input.files
            + [
                "--input-format", input.format.rawValue, "--purgeable-field", input.shape.purgeableField ?? "",
                "--batch", String(input.batchRecords), "--expect", String(figures.sourceRecords), "--ack-fd", "1",
            ]
    }

    /// Imports in a separate process, which is killed when half of the batches are acknowledged.
    func importAndKill(_ input: ImportInput, _ batches: [[Record]]) throws -> KilledImport {
        try say(
            "\n2. Import into \"\(DemoRun.packages.text)\", descriptions purgeable, in a process that is killed half "
                + "way"
        )
        var killAfter = max(1, batches.count / 2)
        let executable = try executablePath()
        while true {
            if let killed = try KilledImport.run(executable, importArguments(input), killAfter: killAfter) {
                let records = killed.acknowledged.records
                try say(
                    "     SIGKILL after batch \(killed.acknowledged.batches) of \(batches.count): "
                        + "\(Figures.count(records)) stanzas acknowledged in \(Figures.duration(killed.duration)), "
                        + Figures.rate(UInt64(records), killed.duration))
                figures.add(killed)
                return killed
            }
            guard killAfter > 1 else { throw ToolFailure.different("the import could not be killed in time") }
            try say("     the import finished before the kill: repeating with an earlier one")
            try removeTree(storePath)
            killAfter /= 2
        }
    }

    /// Checks that every acknowledged batch is in the store, and at most the one in flight besides, as a whole.
    func reopenAfterKill(_ killed: KilledImport, _ batches: [[Record]]) throws {
        try say("\n3. Reopen after the kill")
        let (store, time) = try time { try openStore() }
        figures.reopenAfterKill = time
        let recovery = store.recovery
        try say(
            "     \(Figures.duration(time)): \(Figures.count(recovery.replayedBatches)) batches replayed from the log "
                + "(\(Figures.bytes(recovery.replayedBytes))), \(Figures.bytes(recovery.droppedBytes)) of torn tail "
                + "dropped"
        )
        let paths = [DemoRun.packages, DemoRun.descriptions]
        let acknowledged = killed.acknowledged.batches
        for batch in batches[..<acknowledged] {
            try expected.apply(batch, to: DemoRun.packages, purgeable: DemoRun.descriptions)
        }
        var differences = try expected.differences(from: store, in: paths)
        var found: Shown =
            "exactly the \(Figures.count(expected.count)) entries of the \(acknowledged) acknowledged batches"
        if differences > 0, acknowledged < batches.count {
            var withNext = expected
            try withNext.apply(batches[acknowledged], to: DemoRun.packages, purgeable: DemoRun.descriptions)
            if try withNext.differences(from: store, in: paths) == 0 {
                differences = 0
                expected = withNext
                found += " and, whole, the one that was in flight"
            }
        }
        try require(differences, "after the kill")
        try say("     \(found): compared byte for byte")
        try close(store)
    }

    /// Imports the same input again; entries that exist are skipped.
    func resume(_ input: ImportInput, _ batches: [[Record]]) throws {
        try say("\n4. Resume")
        let store = try openStore()
        var importer = Importer(
            store: store, target: DemoRun.packages, purgeableTarget: DemoRun.descriptions, input: input)
        importer.isResuming = true
        importer.expectedRecords = figures.sourceRecords
        let progress = Progress("import", isQuiet: false)
        let report = try importer.run(progress)
        progress.erase()
        try close(store)
        figures.resumeTime = .seconds(report.seconds)
        figures.resumedRecords = report.records
        try say("     " + report.text())
        for batch in batches { try expected.apply(batch, to: DemoRun.packages, purgeable: DemoRun.descriptions) }
    }

    /// Imports each code table into a namespace below "iso".
    func importCodes(_ sources: DemoSources) throws {
        guard !sources.codeFiles.isEmpty else { return try say("\n5. Import the ISO code tables: none are installed") }
        try say("\n5. Import \(sources.codeFiles.count) ISO code tables, a namespace each")
        let store = try openStore()
        var total = 0
        for file in sources.codeFiles {
            let target = NamespacePath(user: nil, components: ["iso", file.name])
            let input = ImportInput(
                files: [file.path], format: .json, shape: RecordShape(keyFields: [file.keyField]))
            let progress = Progress("import", isQuiet: true)
            let report = try Importer(store: store, target: target, purgeableTarget: nil, input: input).run(progress)
            total += report.records
            var reader = input.batches()
            while let batch = try reader.next() { try expected.apply(batch, to: target, purgeable: nil) }
        }
        try close(store)
        try say("     \(Figures.count(total)) codes")
    }
}

/// The real data that the demonstration finds on the machine.
struct DemoSources {
    private static let listDirectory = "/var/lib/apt/lists"
    private static let statusFile = "/var/lib/dpkg/status"
    private static let codeDirectory = "/usr/share/iso-codes/json"
    private static let codeKeys = [
        "iso_15924": "alpha_4", "iso_3166-1": "alpha_3", "iso_3166-2": "code", "iso_3166-3": "alpha_4",
        "iso_4217": "alpha_3", "iso_639-2": "alpha_3", "iso_639-3": "alpha_3", "iso_639-5": "alpha_3",
    ]

    let stanzaFiles: [String]
    let codeFiles: [(path: String, name: String, keyField: String)]
    /// Remarks on data that is missing on this machine.
    let remarks: [Shown]

    init() throws {
        var remarks: [Shown] = []
        let lists = try Self.names(in: Self.listDirectory).filter { name in
            // Some systems keep two forms of a list; the plain one is enough.
            name.contains("_Packages") && !name.hasSuffix(".diff") && !name.hasSuffix(".part")
        }
        let plain = Set(lists.filter { !ByteStream.isCompressed($0) })
        var files = lists.filter { name in
            !ByteStream.isCompressed(name)
                || !plain.contains(String(name[..<(name.lastIndex(of: ".") ?? name.endIndex)]))
        }.map { "\(Self.listDirectory)/\($0)" }
        if files.isEmpty {
            remarks.append(
                "No package lists in \(Self.listDirectory): using the installed packages of \(Self.statusFile).")
            files = unsafe access(Self.statusFile, R_OK) == 0 ? [Self.statusFile] : []
        }
        guard !files.isEmpty else {
            throw ToolFailure.notFound("this machine has neither apt's package lists nor dpkg's status file")
        }
        stanzaFiles = files
        codeFiles = try Self.names(in: Self.codeDirectory).compactMap { file in
            guard file.hasSuffix(".json") else { return nil }
            let name = String(file.dropLast(5))
            return Self.codeKeys[name].map { ("\(Self.codeDirectory)/\(file)", name, $0) }
        }
        if codeFiles.isEmpty {
            remarks.append("No ISO code tables in \(Self.codeDirectory) (package iso-codes): left out.")
        }
        self.remarks = remarks
    }

    private static func names(in directory: String) throws -> [String] {
        unsafe access(directory, R_OK | X_OK) == 0 ? try directoryEntries(of: directory) : []
    }
}

/// An import in another process that is killed half way.
struct KilledImport {
    /// The acknowledgements of the dead process: all lines of its pipe, including those not read before its death.
    let acknowledged: AcknowledgedPrefix
    /// The time from its start to its death.
    let duration: Duration

    /// Starts the command with `arguments`, an import that acknowledges on standard output, and kills it with SIGKILL
    /// as soon as it has acknowledged `batches`. Returns `nil` if it ended by itself before.
    static func run(_ executable: String, _ arguments: [String], killAfter batches: Int) throws -> KilledImport? {
        let clock = ContinuousClock()
        let start = clock.now
        let child = try ChildProcess(executable, arguments)
        var last = AcknowledgedPrefix()
        var isKilled = false
        var duration = Duration.zero
        while let line = try child.readLine() {
            guard let prefix = AcknowledgedPrefix(line: line[...]) else {
                throw ToolFailure.inputOutput("the importing process printed \"\(line)\"")
            }
            last = prefix
            if !isKilled, last.batches >= batches {
                child.kill()
                duration = clock.now - start
                isKilled = true
            }
        }
        switch try child.wait() {
        case .killed(signal: SIGKILL): return KilledImport(acknowledged: last, duration: duration)
        case .exited(0): return nil
        case let ending: throw ToolFailure.inputOutput("the importing process ended with \(ending)")
        }
    }
}
