import ArgumentParser
import ShaleInspection

struct InspectBlockCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "block",
        abstract: "Lists the versions in a block of a segment.",
        discussion: """
            EXAMPLES
              shale inspect block DIR 15 0
              shale inspect block DIR 15 0 --json

            Each line is the sequence, the operation, the namespace, the key, and the type
            and size of the value.
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "The segment's number, or its file's name.")
    var segment: FileNumberArgument

    @Argument(help: "The block's number, from 0.")
    var block: Int

    @OptionGroup(title: "Output") var output: OutputOptions

    struct Head: Encodable {
        let segment: UInt64
        let block: Int
    }

    func run() throws {
        let inspector = try StoreInspector(at: store.path)
        let names = Self.names(inspector)
        let versions = try inspector.block(block, ofSegment: segment.number)
        var rows = try RowWriter<OperationRow>(
            output.format, command: "inspect block", head: Head(segment: segment.number, block: block),
            list: "versions")
        for version in versions { try rows.write(OperationRow(version, in: names)) }
        try rows.finish()
    }

    /// Returns the names of namespaces, for readability only: a block can be inspected without the manifest.
    private static func names(_ inspector: StoreInspector) -> NamespaceNames? {
        do {
            return NamespaceNames(try inspector.manifest())
        } catch {
            Terminal.note("shale: the names of namespaces can't be read: \(message: error.description)")
            return nil
        }
    }
}
