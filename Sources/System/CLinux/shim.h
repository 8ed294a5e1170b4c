// Declarations of Linux that the C library's module leaves out. No code but one instruction.
#include <sys/vfs.h>
#include <linux/magic.h>

// Of <fcntl.h>, where they depend on _GNU_SOURCE.
enum { LINUX_F_SETLEASE = 1024, LINUX_F_OFD_GETLK = 36, LINUX_F_OFD_SETLK = 37 };
#ifdef __O_DIRECT
enum { LINUX_O_DIRECT = __O_DIRECT };
#elif defined(__aarch64__) || defined(__arm__)
enum { LINUX_O_DIRECT = 0200000 };
#else
enum { LINUX_O_DIRECT = 040000 };
#endif

// Of <fcntl.h> and <unistd.h>, likewise.
#include <sys/types.h>
int fallocate(int descriptor, int mode, off_t offset, off_t length);
int syncfs(int descriptor);
enum { LINUX_SEEK_DATA = 3 };

// The processor's prefetch, which Swift can't express: unlike a load, it does not hold up what follows, and never fails.
static inline void linux_prefetch(const void *place) { __builtin_prefetch(place); }

// Of <ucontext.h>. Swift imports neither functions that return twice nor those with a variable number of arguments.
#ifdef __GLIBC__
int linux_getcontext(void *context) __asm__("getcontext");
void linux_makecontext(void *context, void (*body)(void), int argument_count) __asm__("makecontext");
int linux_setcontext(const void *context) __asm__("setcontext");
int linux_swapcontext(void *from, const void *to) __asm__("swapcontext");
#endif
