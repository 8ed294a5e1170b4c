import Foundation

/// A part of the engine, and the tests that should notice mistakes in it.
struct Area: Equatable, Sendable {
    var name: String
    /// Files, or folders with a slash at the end.
    var files: [String] = []
    /// Regular expressions for `--filter`. Each is tried if the one before has not noticed anything.
    var filters: [String] = []

    /// Reads tools/support/mutation-areas.txt. Filters in front of the first area come last for every area.
    static func parse(_ text: String) throws -> [Area] {
        var areas: [Area] = []
        var common: [String] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ", maxSplits: 1).map { $0.trimmedOfBlanks }
            guard words.count == 2 else { throw MutateError("not an area's line: \(line)") }
            switch words[0] {
            case "area": areas.append(Area(name: words[1]))
            case "tests" where areas.isEmpty: common.append(words[1])
            case "tests": areas[areas.count - 1].filters.append(words[1])
            case "files" where !areas.isEmpty:
                areas[areas.count - 1].files += words[1].split(separator: " ").map(String.init)
            default: throw MutateError("not an area's line: \(line)")
            }
        }
        for index in areas.indices { areas[index].filters += common }
        return areas
    }

    /// The paths of the area's files, below `root`.
    func paths(in root: URL) throws -> [String] {
        var paths: [String] = []
        for name in files {
            guard name.hasSuffix("/") else {
                paths.append(name)
                continue
            }
            let folder = root.appendingPathComponent(name).path
            paths += try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
                .sorted().map { name + $0 }
        }
        return paths
    }
}
