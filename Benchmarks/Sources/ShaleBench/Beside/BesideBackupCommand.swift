import ArgumentParser
import ShaleEngine
import ShaleMaintenance

/// The process of ``BesideCommand`` that backs up: it begins a backup of the newest state as soon as the last one is
/// made.
struct BesideBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beside-backup", abstract: "Backs a store up until its writer has ended.", shouldDisplay: false)

    @Argument var path: String
    @Argument var backups: String

    func run() throws {
        var (count, bytes) = (0, UInt64(0))
        try BesideLoop.run(at: path) { reader in
            reader = try reader.refreshed()
            bytes += try Maintenance.backUp(reader, to: backups).copiedBytes
            count += 1
        }
        try BesideLoop.report("\(count) backups, \(bytes >> 20) MiB")
    }
}
