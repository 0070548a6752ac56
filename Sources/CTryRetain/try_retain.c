#include "try_retain.h"

extern void *swift_tryRetain(void *object);

const void *core_data_try_retain(const void *object) { return swift_tryRetain((void *)object); }
