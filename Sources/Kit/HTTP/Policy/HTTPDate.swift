#if HTTP
    /// Dates of HTTP fields (RFC 9110, section 5.6.7), as milliseconds since 1970.
    ///
    /// The parser accepts the three forms of the RFC exactly as written there, in upper and lower case as written
    /// there. Everything else is no date: a cache treats such an `Expires` as a time in the past.
    enum HTTPDate {
        private static let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        private static let shortDays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        private static let longDays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

        /// Returns the time of a date; `nil` if the text is no date.
        ///
        /// - Parameter now: The time that decides the century of a year with two digits: one that would be more than 50
        ///   years ahead is in the past.
        static func milliseconds(_ text: String, now: Int64) -> Int64? {
            let scanner = DateScanner(text)
            return fixed(scanner) ?? obsolete(scanner, now: now) ?? asctime(scanner)
        }

        /// `Sun, 06 Nov 1994 08:49:37 GMT`
        private static func fixed(_ start: DateScanner) -> Int64? {
            var scanner = start
            guard scanner.word(shortDays) != nil, scanner.take(", "), let day = scanner.number(2), scanner.take(" "),
                let month = scanner.word(months), scanner.take(" "), let year = scanner.number(4), scanner.take(" "),
                let time = scanner.time(), scanner.take(" GMT"), scanner.isAtEnd
            else { return nil }
            return milliseconds(year, month, day, time)
        }

        /// `Sunday, 06-Nov-94 08:49:37 GMT`
        private static func obsolete(_ start: DateScanner, now: Int64) -> Int64? {
            var scanner = start
            guard scanner.word(longDays) != nil, scanner.take(", "), let day = scanner.number(2), scanner.take("-"),
                let month = scanner.word(months), scanner.take("-"), let short = scanner.number(2), scanner.take(" "),
                let time = scanner.time(), scanner.take(" GMT"), scanner.isAtEnd
            else { return nil }
            let thisYear = civil(dayNumber: now.floored(by: 86_400_000)).year
            var year = thisYear - thisYear % 100 + short
            if year > thisYear + 50 { year -= 100 }
            return milliseconds(year, month, day, time)
        }

        /// `Sun Nov  6 08:49:37 1994`
        private static func asctime(_ start: DateScanner) -> Int64? {
            var scanner = start
            guard scanner.word(shortDays) != nil, scanner.take(" "), let month = scanner.word(months),
                scanner.take(" "),
                let day = scanner.take(" ") ? scanner.number(1) : scanner.number(2), scanner.take(" "),
                let time = scanner.time(), scanner.take(" "), let year = scanner.number(4), scanner.isAtEnd
            else { return nil }
            return milliseconds(year, month, day, time)
        }

        private static func milliseconds(_ year: Int, _ month: Int, _ day: Int, _ time: Int) -> Int64? {
            let isLeap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
            let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month]
            guard 1...days ~= day else { return nil }
            return (dayNumber(year, month + 1, day) * 86_400 + Int64(time)) * 1000
        }

        /// Returns the text of a time in the form that senders must use.
        static func text(_ milliseconds: Int64) -> String {
            let seconds = milliseconds.floored(by: 1000)
            let day = seconds.floored(by: 86_400)
            let date = civil(dayNumber: day)
            let time = Int(seconds - day * 86_400)
            // 1970-01-01 was a Thursday.
            let weekday = Int(((day + 3) % 7 + 7) % 7)
            return "\(shortDays[weekday]), \(padded(date.day)) \(months[date.month - 1]) \(date.year) "
                + "\(padded(time / 3600)):\(padded(time / 60 % 60)):\(padded(time % 60)) GMT"
        }

        private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

        /// Returns the days from 1970-01-01 to a date of the Gregorian calendar. Years are counted from March, so that
        /// the leap day is the last day of a year.
        private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
            let shifted = Int64(month <= 2 ? year - 1 : year)
            let era = shifted.floored(by: 400)
            let yearOfEra = shifted - era * 400
            let dayOfYear = Int64((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1)
            let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            return era * 146_097 + dayOfEra - 719_468
        }

        private static func civil(dayNumber: Int64) -> (year: Int, month: Int, day: Int) {
            let shifted = dayNumber + 719_468
            let era = shifted.floored(by: 146_097)
            let dayOfEra = shifted - era * 146_097
            let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
            let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
            let monthFromMarch = (5 * dayOfYear + 2) / 153
            let month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
            let year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
            return (year, month, Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1))
        }
    }

    /// A position in the text of a date.
    private struct DateScanner {
        private var rest: ArraySlice<UInt8>

        init(_ text: String) { rest = ArraySlice(text.utf8) }

        var isAtEnd: Bool { rest.isEmpty }

        /// Skips `text`; returns false if something else comes next.
        mutating func take(_ text: String) -> Bool {
            guard rest.starts(with: text.utf8) else { return false }
            rest = rest.dropFirst(text.utf8.count)
            return true
        }

        /// Reads exactly this many digits.
        mutating func number(_ digits: Int) -> Int? {
            guard rest.count >= digits, rest.prefix(digits).allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
            defer { rest = rest.dropFirst(digits) }
            return rest.prefix(digits).reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }

        /// Reads one of several words; returns its index.
        mutating func word(_ words: [String]) -> Int? { words.firstIndex { take($0) } }

        /// Reads `08:49:37`; returns the second of the day. A leap second counts as the second before it.
        mutating func time() -> Int? {
            guard let hours = number(2), take(":"), let minutes = number(2), take(":"), let seconds = number(2),
                hours < 24, minutes < 60, seconds <= 60
            else { return nil }
            return hours * 3600 + minutes * 60 + min(seconds, 59)
        }
    }

    extension Int64 {
        /// The quotient, rounded towards negative infinity.
        fileprivate func floored(by divisor: Int64) -> Int64 {
            self / divisor - (self % divisor < 0 ? 1 : 0)
        }
    }
#endif
