import Foundation

/// Makes mistakes in the engine by machine and runs the tests that should notice them. `tools/mutations` builds and
/// runs it.
@main
enum Mutate {
    static let usage = """
        usage: mutate --root DIR --scratch DIR [--seed N] [--count N] [--area NAME]... [--only N]... [--jobs N] \
        [--limit SECONDS] [--list]
        """

    static func main() async {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            exit(try await Campaign(options).run() ? 0 : 1)
        } catch {
            print("mutate: \(error)")
            exit(2)
        }
    }
}

/// Prints a line at once, also into a pipe.
func printLine(_ line: String) {
    print(line)
    fflush(nil)
}

/// A reason why the tool can't continue.
struct MutateError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The options of the command line.
struct Options {
    /// The directory of the package.
    var root = ""
    /// The directory in which the copy is made and built.
    var scratch = ""
    var seed: UInt64 = 1
    /// Mutations per area.
    var count = 10
    /// Areas to run; empty = all. All are planted in any case, so that numbers and builds stay the same.
    var areas: [String] = []
    /// Numbers of the mutations to run; empty = all.
    var only: [Int] = []
    /// Mutations that are run at the same time.
    var jobs = 2
    /// Seconds that the tests of a mutation may take; 0 = as measured without one.
    var limit = 0
    /// Prints what would be planted, and builds nothing.
    var lists = false

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        func value(of option: String) throws -> String {
            guard let value = rest.popFirst() else { throw MutateError("\(option) needs a value\n\(Mutate.usage)") }
            return value
        }
        func number<Number: FixedWidthInteger>(of option: String) throws -> Number {
            let text = try value(of: option)
            guard let number = Number(text), number >= 0 else { throw MutateError("\(option) \(text): not a number") }
            return number
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--root": root = try value(of: argument)
            case "--scratch": scratch = try value(of: argument)
            case "--seed": seed = try number(of: argument)
            case "--count": count = try number(of: argument)
            case "--area": areas.append(try value(of: argument))
            case "--only": only.append(try number(of: argument))
            case "--jobs": jobs = max(1, try number(of: argument))
            case "--limit": limit = try number(of: argument)
            case "--list": lists = true
            default: throw MutateError("unknown argument \(argument)\n\(Mutate.usage)")
            }
        }
        guard !root.isEmpty, !scratch.isEmpty else { throw MutateError(Mutate.usage) }
    }
}
