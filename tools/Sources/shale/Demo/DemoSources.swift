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
