import ArgumentParser
import Foundation
import Posix
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
        var options = Engine.Options()
        options.mode = .readOnly
        var reader = try Engine.open(at: path, options: options)
        try writeFully(Array("ready\n".utf8), to: STDOUT_FILENO, named: "standard output")
        var (count, bytes) = (0, UInt64(0))
        while !FileManager.default.fileExists(atPath: BesideWriter.end(of: path)) {
            reader = try reader.refreshed()
            bytes += try Maintenance.backUp(reader, to: backups).copiedBytes
            count += 1
        }
        let line =
            "\(count) backups, \(bytes >> 20) MiB, processor \(String(format: "%.3f", Resources.cpuSeconds)) s\n"
        try writeFully(Array(line.utf8), to: STDOUT_FILENO, named: "standard output")
    }
}
