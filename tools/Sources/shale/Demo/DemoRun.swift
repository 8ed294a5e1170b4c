import Shale

/// The demonstration. Each step prints what it does and checks the result against the source; the first difference ends
/// the demonstration with an error.
final class DemoRun {
    static let packages = NamespacePath(user: nil, components: ["packages"])
    static let descriptions = NamespacePath(user: nil, components: ["packages", "Description"])
    static let randomReads = 100_000

    let storePath: String
    let seed: UInt64
    let clock = ContinuousClock()
    var figures = DemoFigures()
    /// The content that the store must have now.
    var expected = ExpectedContent()

    init(directory: String, seed: UInt64) {
        storePath = "\(directory)/store"
        self.seed = seed
    }

    func run() throws {
        let sources = try DemoSources()
        for remark in sources.remarks { try say(remark) }
        let (input, batches) = try readSource(sources)
        let killed = try importAndKill(input, batches)
        try reopenAfterKill(killed, batches)
        try resume(input, batches)
        try importCodes(sources)
        try compareEverything()
        try readRandomKeys()
        try purge()
        try compact()
        try verify()
        try reopenAfterClose()
        try Terminal.print("\n" + figures.table)
    }

    func say(_ text: Shown) throws { try Terminal.print(text) }

    func openStore() throws -> Store { try StoreAccess.open(storePath, .openExisting) }

    /// Closes a store that was written to, and adds the engine's writes to the figures.
    func close(_ store: Store) throws {
        try store.engine.flush()
        let statistics = store.engine.statistics
        figures.userBytes += statistics.userBytes
        figures.writtenBytes += statistics.bytesToFiles
        try store.close()
    }

    func time<R>(_ body: () throws -> R) rethrows -> (R, Duration) {
        let start = clock.now
        let result = try body()
        return (result, clock.now - start)
    }

    /// Ends the demonstration with an error unless `differences` is 0.
    func require(_ differences: Int, _ what: String) throws {
        guard differences == 0 else {
            throw ToolFailure.different("\(what): \(Figures.count(differences)) entries differ from the source")
        }
    }
}
