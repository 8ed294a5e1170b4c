import ArgumentParser
import Shale
import ShaleInspection

struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Shows what is in a store's files, byte ranges and all.",
        discussion: """
            EXAMPLES
              shale inspect manifest DIR
              shale inspect wal DIR
              shale inspect wal DIR 12 --format ndjson
              shale inspect segment DIR 15 --verify
              shale inspect block DIR 15 0

            Files are read without opening the store: beside its owner, and also where
            they are damaged. What does not hold is named with file and offset on standard
            error, what holds is shown, and the command ends with code 2.
            """,
        subcommands: [
            InspectManifestCommand.self, InspectLogCommand.self, InspectSegmentCommand.self, InspectBlockCommand.self,
        ])
}

/// The number of a file in an argument: 15, or the file's name.
struct FileNumberArgument: ExpressibleByArgument {
    let number: UInt64

    init?(argument: String) {
        let name = argument.split(separator: "/").last ?? ""
        let digits = name.hasSuffix(".wal") || name.hasSuffix(".seg") ? name.dropLast(4) : name
        guard let number = UInt64(digits) else { return nil }
        self.number = number
    }
}
