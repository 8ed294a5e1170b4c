import ShalePlatform
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Swift does not import `fork`, because a child may make only a few calls. This child makes one load and ends.
@_silgen_name("fork") private func makeChild() -> pid_t

/// A child process is recognized.
@Suite struct ForkWatchTests {
    @Test func aChildIsNoticedAndItsParentIsNot() {
        let mark = ForkWatch.shared.mark
        #expect(!mark.isInChild)
        let child = makeChild()
        if child == 0 { _exit(mark.isInChild ? 17 : 1) }
        var status: Int32 = 0
        #expect(unsafe waitpid(child, &status, 0) == child)
        #expect(status >> 8 & 255 == 17 && status & 127 == 0)
        #expect(!mark.isInChild)
    }

    @Test func marksOfAChildAreItsOwn() {
        let watch = ForkWatch()
        let parents = watch.mark
        watch.noteFork()
        #expect(parents.isInChild)
        #expect(!watch.mark.isInChild)
    }
}
