import ShaleEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a command found or did: one JSON object on standard output, or text.
protocol Report: Encodable {
    /// The command's name.
    static var command: String { get }
    func text() throws -> String
}

/// The outermost object of every `--json` output. `schema` is raised when a member changes its meaning or goes; new
/// members may come at any time.
struct Envelope<Body: Report>: Encodable {
    let body: Body

    enum Member: String, CodingKey { case schema, command }

    func encode(to encoder: any Encoder) throws {
        try body.encode(to: encoder)
        var container = encoder.container(keyedBy: Member.self)
        try container.encode(schemaVersion, forKey: .schema)
        try container.encode(Body.command, forKey: .command)
    }
}

let schemaVersion = 1

extension Report {
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(Envelope(body: self)), as: UTF8.self)
    }

    func show(asJSON: Bool) throws {
        try Terminal.print(asJSON ? json() : text())
    }
}

/// An error as a script reads it, from standard error.
struct ErrorReport: Report {
    static let command = "error"

    struct Details: Encodable {
        let code: String
        let message: String
        var file: String?
        var offset: UInt64?
        let exitCode: Int32
    }

    let error: Details

    func text() -> String { error.message }

    init(_ failure: StorageError) {
        error = Details(
            code: failure.code.rawValue, message: failure.message, file: failure.file, offset: failure.offset,
            exitCode: failure.exitStatus.rawValue)
    }

    init(_ failure: ToolFailure) {
        error = Details(code: failure.code, message: failure.message, exitCode: failure.status.rawValue)
    }
}
