/// The writeback errors of one file or directory, as Linux keeps them (`errseq_t`).
///
/// 1. An error marks the file. The data is lost, although reads still return it and later syncs succeed.
/// 2. Every open description that syncs afterwards is told of it once, and of several errors together.
/// 3. A description that is opened later is told only if no other has been.
/// 4. Of two syncs on one description, therefore, exactly one fails.
struct WritebackErrors {
    private var count = 0
    private var number: Int32 = 0
    private var isReported = true

    mutating func record(_ number: Int32) {
        count += 1
        self.number = number
        isReported = false
    }

    /// What a description that is opened now has been told of.
    var seenAtOpen: Int { isReported ? count : 0 }

    /// The error that a sync on a description reports, if it has not been told of it before.
    mutating func report(to seen: inout Int) -> Int32? {
        guard seen != count else { return nil }
        seen = count
        isReported = true
        return number
    }
}
