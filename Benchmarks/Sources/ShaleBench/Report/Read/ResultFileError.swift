/// A result file that can't be reported on, with the position of the problem.
struct ResultFileError: Error, Equatable, CustomStringConvertible {
    let path: String
    /// The line, from 1; `nil` for the file as a whole.
    var line: Int?
    let problem: String

    init(path: String, line: Int? = nil, problem: String) {
        self.path = path
        self.line = line
        self.problem = problem
    }

    var description: String {
        let place = line.map { "\(path):\($0)" } ?? path
        return "\(place): \(problem)"
    }
}
