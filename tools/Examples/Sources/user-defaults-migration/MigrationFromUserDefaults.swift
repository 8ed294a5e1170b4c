// Moving from UserDefaults: import its file at every start, continue with typed keys.
import ExampleSupport
import Foundation
import ShaleFoundation

extension Keys {
    static let volume = Key<Double>("volume", default: 0.8)
    static let hasSeenTour = Key<Bool>("hasSeenTour", default: false)
    static let recentFiles = Key<[String]>("recentFiles", default: [])
    static let lastBackup = Key<Date?>("lastBackup")
}

@main
struct MigrationFromUserDefaults {
    static func main() throws {
        try withTemporaryDirectory { directory in
            let file = directory + "/com.example.app.plist"
            try writeOldSettings(file)
            try firstStart(directory + "/store", file)
            try laterStart(directory + "/store", file)
            try withoutOldSettings(directory + "/store", directory + "/none.plist")
        }
    }

    /// Writes the file as UserDefaults does: `~/Library/Preferences/<domain>.plist`, in the container of a sandboxed
    /// application; on Linux `~/.config/<name>.plist`. The system writes it some time after `set`: if this process has
    /// changed defaults, call `synchronize()` before importing.
    static func writeOldSettings(_ file: String) throws {
        let defaults: [String: Any] = [
            "volume": 0.3,
            "hasSeenTour": true,
            "recentFiles": ["a.txt", "b.txt"],
            "lastBackup": Date(timeIntervalSinceReferenceDate: 700_000_000),
            "windows": ["main": ["x": 10, "y": 20]],
        ]
        let bytes = try PropertyListSerialization.data(fromPropertyList: defaults, format: .binary, options: 0)
        try bytes.write(to: URL(fileURLWithPath: file))
    }

    static func firstStart(_ path: String, _ file: String) throws {
        let store = try Store(at: path)
        let settings = store.common["settings"]

        let report = try settings.importUserDefaults(at: file)
        for entry in report.entries { print("\(entry.key): \(entry.outcome)") }
        expect(report.importedCount == 5 && report.failedCount == 0, "every setting was imported")

        // Scalars are stored as scalars, arrays and dictionaries as property lists that any matching type can read.
        expect(try settings.value(for: .volume) == 0.3, "a number is a number")
        expect(try settings.value(for: .hasSeenTour), "a flag is a flag")
        expect(try settings.value(for: .recentFiles) == ["a.txt", "b.txt"], "an array is an array")
        expect(try settings.value(for: .lastBackup) != nil, "a date is a date")
        let windows = try settings.value(forKey: "windows", as: [String: [String: Int]].self)
        expect(windows?["main"]?["y"] == 20, "a dictionary is a dictionary")

        // From now on the application writes here.
        try settings.set(0.9, for: .volume)
        try store.close()
    }

    /// The same call is safe at every start, even if the first one was interrupted. Values that exist are not written
    /// again, and values that the application has changed since are kept.
    static func laterStart(_ path: String, _ file: String) throws {
        let store = try Store(at: path)
        let settings = store.common["settings"]
        let report = try settings.importUserDefaults(at: file)
        expect(report.importedCount == 0 && report.unchangedCount == 4, "nothing is imported twice")
        expect(report.skippedCount == 1, "the volume has another value now")
        expect(try settings.value(for: .volume) == 0.9, "what the application has written since stays")
        print("second start: \(report.unchangedCount) unchanged, \(report.skippedCount) left alone")
        try store.close()
    }

    /// A new installation has no old settings. That error differs from the one for a damaged file.
    static func withoutOldSettings(_ path: String, _ file: String) throws {
        let store = try Store(at: path)
        do throws(StorageError) {
            _ = try store.common["settings"].importUserDefaults(at: file)
            expect(false, "a file that is not there was imported")
        } catch {
            expect(error.code == .missing, "there is no such file, and no other error: \(error)")
            print("no old settings: \(error.code.rawValue)")
        }
        try store.close()
    }
}
