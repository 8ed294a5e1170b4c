// Declarations of Linux that Glibc's module leaves out. No code.
#include <sys/vfs.h>
#include <linux/magic.h>
