// Declarations of Linux that the C library's module leaves out. No code.
#include <sys/vfs.h>
#include <linux/magic.h>

// Of <fcntl.h>, where they depend on _GNU_SOURCE.
enum { LINUX_F_SETLEASE = 1024 };
