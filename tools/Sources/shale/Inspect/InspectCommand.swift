import ArgumentParser
import Shale
import ShaleInspection

struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Shows the contents of a store's files with their byte ranges.",
        discussion: """
            EXAMPLES
              shale inspect manifest DIR
              shale inspect wal DIR
              shale inspect wal DIR 12 --format ndjson
              shale inspect segment DIR 15 --verify
              shale inspect block DIR 15 0

            Files are read without opening the store, so the commands work while the store
            is in use and on damaged files. Intact parts are shown. Damage is named with
            file and offset on standard error, and the command ends with code 2.
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
