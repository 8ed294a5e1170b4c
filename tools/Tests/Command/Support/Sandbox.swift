import Foundation
import Testing

@testable import ShaleCommand

/// A temporary directory for one test, in which the built command runs. It is removed at the end.
final class Sandbox {
    let path: String

    init() throws {
        path = try makeTemporaryDirectory(prefix: "shale-tools")
    }

    deinit {
        do {
            try removeTree(path)
        } catch {
            Issue.record("the sandbox could not be removed: \(error)")
        }
    }

    var store: String { "\(path)/store" }

    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try write(Data(text.utf8), to: name)
    }

    @discardableResult
    func write(_ bytes: Data, to name: String) throws -> String {
        let file = "\(path)/\(name)"
        try bytes.write(to: URL(fileURLWithPath: file))
        return file
    }

    /// Returns all records of a text in a format.
    func records(_ text: String, _ format: InputFormat, _ shape: RecordShape, array: String? = nil) throws -> [Record] {
        let file = try write(text, to: "input")
        return try records(of: file, format, shape, array: array)
    }

    func records(of file: String, _ format: InputFormat, _ shape: RecordShape, array: String? = nil) throws -> [Record]
    {
        var batches = ImportInput(files: [file], format: format, shape: shape, arrayName: array).batches()
        var all: [Record] = []
        while let batch = try batches.next() { all += batch }
        return all
    }

    // MARK: The command

    struct Outcome {
        let status: Int32
        let output: String
        let errors: String

        func json() throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
        }
    }

    /// The build directory of the test runner.
    static var products: URL {
        #if os(macOS)
            for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
                return bundle.bundleURL.deletingLastPathComponent()
            }
        #endif
        return Bundle.main.bundleURL
    }

    static var command: URL { products.appendingPathComponent("shale") }

    @discardableResult
    func shale(_ arguments: String..., input: String? = nil) throws -> Outcome { try run(arguments, input: input) }

    /// Runs the command. `environment` adds variables to the runner's own.
    func run(_ arguments: [String], input: String? = nil, environment: [String: String] = [:]) throws -> Outcome {
        let process = Process()
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.executableURL = Self.command
        process.arguments = arguments
        let output = Pipe()
        let errors = try emptyFile("stderr")
        process.standardOutput = output
        process.standardError = errors.handle
        process.standardInput = FileHandle(
            forReadingAtPath: try input.map { try write($0, to: "stdin") } ?? "/dev/null")
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try errors.handle.close()
        return Outcome(
            status: process.terminationStatus, output: String(decoding: data, as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors.url), as: UTF8.self))
    }

    private func emptyFile(_ name: String) throws -> (url: URL, handle: FileHandle) {
        let file = try write("", to: name)
        let url = URL(fileURLWithPath: file)
        return (url, try FileHandle(forWritingTo: url))
    }
}

/// Waits until `condition` holds. Returns false if it does not within 30 s.
func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = ContinuousClock.now + .seconds(30)
    while try !condition() {
        guard ContinuousClock.now < deadline else { return false }
        usleep(1000)
    }
    return true
}

func text(_ value: ImportedValue) -> String {
    switch value {
    case .json(let bytes): String(decoding: bytes, as: UTF8.self)
    case .string(let string): string
    default: "\(value)"
    }
}
