#include <rados/librados.h>
