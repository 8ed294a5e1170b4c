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
func tell(_ line: String) {
    print(line)
    fflush(nil)
}

/// A reason why the tool can't go on.
struct MutateError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
