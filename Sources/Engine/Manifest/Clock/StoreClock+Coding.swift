import ShaleBase

/// On disk, do not change: DESIGN.md, "Manifest", fact 0x8011.
///
///      0  trusted           i64
///      8  shown             i64
///     16  flags             u8: 1 = provisional, 2 = doubted reading ahead, 4 = doubted reading behind
///     17  provisionalSince  i64, 0 unless provisional
///     25  doubt.since       i64, 0 unless there is a doubt
extension StoreClock {
    private static let provisionalFlag: UInt8 = 1
    private static let aheadFlag: UInt8 = 2
    private static let behindFlag: UInt8 = 4

    func encode(into buffer: inout ByteBuffer) {
        buffer.append(trusted)
        buffer.append(shown)
        var flags: UInt8 = provisionalSince == nil ? 0 : StoreClock.provisionalFlag
        switch doubt?.direction {
        case nil: break
        case .ahead: flags |= StoreClock.aheadFlag
        case .behind: flags |= StoreClock.behindFlag
        }
        buffer.append(flags)
        buffer.append(provisionalSince ?? 0)
        buffer.append(doubt?.since ?? 0)
    }

    init(decoding reader: inout ByteReader) throws(ParseFailure) {
        let trusted = try StoreClock.time(&reader)
        let shown = try StoreClock.time(&reader)
        let flags = try reader.u8("the clock's flags")
        let provisionalSince = try StoreClock.time(&reader)
        let doubtSince = try StoreClock.time(&reader)
        let doubt: Doubt?
        switch flags & ~StoreClock.provisionalFlag {
        case 0: doubt = nil
        case StoreClock.aheadFlag: doubt = Doubt(.ahead, since: doubtSince)
        case StoreClock.behindFlag: doubt = Doubt(.behind, since: doubtSince)
        default: throw ParseFailure("the clock has flags \(flags)")
        }
        self.init(
            trusted: trusted, shown: shown,
            provisionalSince: flags & StoreClock.provisionalFlag == 0 ? nil : provisionalSince, doubt: doubt)
    }

    private static func time(_ reader: inout ByteReader) throws(ParseFailure) -> Int64 {
        let milliseconds = try reader.i64("a time of the clock")
        guard milliseconds == bounded(milliseconds) else { throw ParseFailure("a time of the clock is out of bounds") }
        return milliseconds
    }
}

extension StoreState {
    /// Returns the clock at the first reading of an opening, and the change that the reading caused.
    ///
    /// A store of an older version has only the floor. It may come from one wrong reading, so it counts as unconfirmed.
    package func clock(at reading: Int64) -> (StoreClock, StoreClock.Change?) {
        let floor = StoreClock.bounded(clockFloor)
        var clock =
            clock
            ?? (clockFloor == 0
                ? StoreClock(firstReading: reading)
                : StoreClock(trusted: floor, shown: floor, provisionalSince: floor, doubt: nil))
        let change = clock.open(reading)
        return (clock, change)
    }
}
