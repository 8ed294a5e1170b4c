/// Maps neighbouring numbers to unrelated ones, with MurmurHash3's finaliser.
@inline(__always)
func mixed(_ number: UInt64) -> UInt64 {
    var x = number
    x ^= x &>> 33
    x = x &* 0xff51_afd7_ed55_8ccd
    x ^= x &>> 33
    x = x &* 0xc4ce_b9fe_1a85_ec53
    x ^= x &>> 33
    return x
}

/// Returns a number below `count`, unrelated to that of neighbouring arguments, for picking keys with replacement.
@inline(__always)
func pick(_ number: UInt64, below count: Int) -> Int {
    Int(truncatingIfNeeded: mixed(number).multipliedFullWidth(by: UInt64(count)).high)
}
