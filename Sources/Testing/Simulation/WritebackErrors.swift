/// The writeback errors of one file or directory, as Linux keeps them (`errseq_t`).
///
/// 1. An error marks the file. The data is lost, although reads still return it and later syncs succeed.
/// 2. The next sync of every open description reports the error once, and several errors together.
/// 3. A description that is opened later reports the error only if no other one has reported it before.
/// 4. Therefore exactly one of two syncs on one description fails.
struct WritebackErrors {
    private var count = 0
    private var number: Int32 = 0
    private var isReported = true

    mutating func record(_ number: Int32) {
        count += 1
        self.number = number
        isReported = false
    }

    /// The error count that a description opened now starts with.
    var seenAtOpen: Int { isReported ? count : 0 }

    /// Returns the error that a sync on a description reports, if the description has not reported it before.
    mutating func report(to seen: inout Int) -> Int32? {
        guard seen != count else { return nil }
        seen = count
        isReported = true
        return number
    }
}
