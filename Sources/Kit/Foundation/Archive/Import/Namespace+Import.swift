import Foundation
public import ShaleBase

/// Importers. Each may run again: keys imported before are then `unchanged`, and keys with another value are `skipped`
/// unless `replacing` is true. Each key is written by itself.
///
/// An error of one key is its outcome in the report. Errors of the file or folder itself are thrown: `.missing`,
/// `.ioFailure`, `.corruption`, and `.invalidArgument` for files over 64 MiB. So are errors that would affect every
/// further key (`.noSpace`, `.readOnly`, `.closed` …). Keys imported before the error stay.
extension Store.Namespace {
    /// Imports the property list (binary or XML) at `path`, with each member under its name.
    ///
    /// Numbers, strings, dates and data are stored as such, arrays and dictionaries as property lists. `UserDefaults`
    /// keeps its values in such a file (`~/Library/Preferences/<domain>.plist`; on Linux `~/.config/<name>.plist`).
    public func importUserDefaults(at path: String, replacing: Bool = false) throws(StorageError)
        -> ImportReport
    {
        guard case .propertyList(.dictionary(let members)) = try ImportedFile(path: path, isJSON: false)
        else {
            throw StorageError(.corruption, "the file is not a property list of names and values", file: path)
        }
        var run = ImportRun(self, replacesOthers: replacing)
        for (name, value) in members.sorted(by: { $0.key < $1.key }) { try run.take(value, EntryKey(name)) }
        return run.report
    }

    /// Imports the keyed archive at `path` under `key`. Read it with
    /// ``Shale/NamespaceReader/archived(_:forKey:allowing:)``. The import does not need its classes.
    public func importKeyedArchive(
        at path: String, forKey key: String, replacing: Bool = false
    ) throws(StorageError) -> ImportReport {
        let file = try ImportedFile(path: path, isJSON: false)
        guard case .archive = file else {
            throw StorageError(.corruption, "the file is not a keyed archive", file: path)
        }
        var run = ImportRun(self, replacesOthers: replacing)
        try run.take(file, EntryKey(key))
        return run.report
    }

    /// Imports the files of a folder, without its subfolders, each under its name without the extension.
    ///
    /// `.json` is stored as JSON, `.plist` as ``importUserDefaults(at:replacing:)`` stores a member. Keyed archives are
    /// stored as such, with the extension `.plist`, `.archive` or `.keyedarchive`. Other files are skipped. If two
    /// names differ only in their extensions, the first in the order of names is imported.
    public func importFolder(at path: String, replacing: Bool = false) throws(StorageError)
        -> ImportReport
    {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        } catch {
            let isMissing = !FileManager.default.fileExists(atPath: path)
            throw StorageError(
                isMissing ? .missing : .ioFailure, "the folder can't be read", file: path, cause: error)
        }
        var run = ImportRun(self, replacesOthers: replacing)
        var taken: Set<String> = []
        for name in names {
            let (key, kind) = Store.Namespace.parts(name)
            guard ["json", "plist", "archive", "keyedarchive"].contains(kind) else {
                run.skip(name, "its extension is not json, plist, archive or keyedarchive")
                continue
            }
            guard taken.insert(key).inserted else {
                run.skip(name, "another file has the same name")
                continue
            }
            let file: ImportedFile
            do throws(StorageError) {
                file = try ImportedFile(path: path + "/" + name, isJSON: kind == "json")
            } catch {
                run.fail(key, error)
                continue
            }
            try run.take(file, EntryKey(key))
        }
        return run.report
    }

    /// Returns the name of a file and its extension in lower case.
    private static func parts(_ name: String) -> (key: String, kind: String) {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, "") }
        return (String(name[..<dot]), name[name.index(after: dot)...].lowercased())
    }
}

/// The outcome of an import for each key, in the order of the keys; for a table, in the order of its rows.
public struct ImportReport: Sendable {
    public enum Outcome: Sendable {
        case imported
        /// The namespace already has the same value.
        case unchanged
        /// The key was left unchanged for this reason.
        case skipped(reason: String)
        case failed(StorageError)
    }

    public struct Entry: Sendable {
        /// The key in the namespace; if it is not text, in hexadecimal after `0x`. For files without a key their name,
        /// for rows without a key their number.
        public let key: String
        public let outcome: Outcome
    }

    public internal(set) var entries: [Entry] = []

    /// The number of keys written.
    public var importedCount: Int { count { if case .imported = $0 { true } else { false } } }
    /// The number of keys that already had the value.
    public var unchangedCount: Int { count { if case .unchanged = $0 { true } else { false } } }
    /// The number of keys and files left unchanged.
    public var skippedCount: Int { count { if case .skipped = $0 { true } else { false } } }
    /// The number of keys and files that could not be imported.
    public var failedCount: Int { count { if case .failed = $0 { true } else { false } } }

    private func count(_ isCounted: (Outcome) -> Bool) -> Int {
        entries.count { isCounted($0.outcome) }
    }
}
