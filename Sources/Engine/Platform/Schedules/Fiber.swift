#if SHALE_SCHEDULES
    #if !canImport(Glibc)
        #error("SHALE_SCHEDULES needs the contexts of glibc")
    #endif
    import CLinux
    import Glibc

    /// A course of execution with a stack of its own. All fibers run on one thread of the system, one at a time.
    ///
    /// A switch takes a quarter of a microsecond. Handing over between threads of the system takes several, and each
    /// new thread touches a stack and a heap of its own.
    @safe
    final class Fiber {
        /// Untouched pages cost nothing; touched ones are used again by later fibers.
        private static let stackBytes = 2 << 20
        private static let guardBytes = 4 << 10
        /// Stacks of fibers that have ended. Only the one thread touches them.
        private nonisolated(unsafe) static var freeStacks: [UnsafeMutableRawPointer] = unsafe []

        /// The registers while the fiber does not run. Never moved: the system's functions keep pointers into it.
        private let context: UnsafeMutablePointer<ucontext_t>
        private var stack: UnsafeMutableRawPointer?

        /// The running course of the calling thread as a fiber.
        init() {
            unsafe context = .allocate(capacity: 1)
            unsafe context.initialize(to: ucontext_t())
        }

        /// A fiber that begins with `body` at the first switch to it. `body` must not return.
        convenience init(_ body: @convention(c) () -> Void) {
            self.init()
            let stack = unsafe Fiber.freeStacks.popLast() ?? Fiber.makeStack()
            unsafe self.stack = stack
            let status = unsafe linux_getcontext(context)
            precondition(status == 0)
            unsafe context.pointee.uc_stack.ss_sp = stack
            unsafe context.pointee.uc_stack.ss_size = Fiber.stackBytes
            unsafe linux_makecontext(context, body, 0)
        }

        deinit { unsafe context.deallocate() }

        private static func makeStack() -> UnsafeMutableRawPointer {
            let bytes = guardBytes + stackBytes
            let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
            let place = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, flags, -1, 0)
            guard let place = unsafe place, unsafe place != MAP_FAILED,
                unsafe mprotect(place, guardBytes, PROT_NONE) == 0
            else { preconditionFailure("no memory for a stack") }
            return unsafe place + guardBytes
        }

        /// Gives the stack to the next fiber. The fiber itself may still run on it until it switches away for good.
        func giveStackBack() {
            guard let stack = unsafe stack else { return }
            unsafe Fiber.freeStacks.append(stack)
            unsafe self.stack = nil
        }

        /// Goes on with `next`. Returns when another fiber switches back to this one.
        func switchTo(_ next: Fiber) {
            let status = unsafe linux_swapcontext(context, next.context)
            precondition(status == 0)
        }

        /// The place where a fiber that lives goes on.
        var place: Place { unsafe Place(context: context) }

        /// Not a reference: a fiber that ends must hold none.
        @safe
        struct Place {
            fileprivate let context: UnsafeMutablePointer<ucontext_t>

            /// Goes on there, and never here.
            func resume() -> Never {
                _ = unsafe linux_setcontext(context)
                preconditionFailure("a context that can't be restored")
            }
        }
    }
#endif
