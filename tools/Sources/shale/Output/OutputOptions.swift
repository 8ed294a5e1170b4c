import ArgumentParser

/// The format of an answer on standard output. See README.md, "The command", and ShaleInspection.docc, "The command".
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    /// Text for people. It may change with every version.
    case human
    /// One object that contains the whole answer.
    case json
    /// One object on each line, for each row.
    case ndjson
    /// RFC 4180 with line feeds: a line of names, then one for each row.
    case csv

    /// True if errors are objects too.
    var isJSON: Bool { self == .json || self == .ndjson }
}

/// The use of colour in text.
enum ColorMode: String, ExpressibleByArgument, CaseIterable {
    case auto
    case always
    case never
}

/// The options of every command that answers something.
struct OutputOptions: ParsableArguments {
    @Option(
        name: .customLong("format"),
        help: ArgumentHelp(
            "The form of the output. With json and ndjson, errors are JSON objects too.", valueName: "format"))
    private var namedFormat: OutputFormat?

    @Flag(help: "The same as --format json.")
    private var json = false

    @Flag(name: .shortAndLong, help: "Show no progress and no remarks.")
    var quiet = false

    @Option(help: "When to use colour; auto: on terminals, unless NO_COLOR is set.")
    var color = ColorMode.auto

    var format: OutputFormat { namedFormat ?? (json ? .json : .human) }

    func validate() throws {
        if json, let namedFormat, namedFormat != .json {
            throw ValidationError("--json and --format \(namedFormat) exclude each other")
        }
    }
}
