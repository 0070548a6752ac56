// The Swift runtime's way to load a weak reference. Swift code may not name the runtime's symbols, C code may.

#ifndef TRY_RETAIN_H
#define TRY_RETAIN_H

/// Retains a Swift object and returns it, or returns NULL if the object is being deallocated.
///
/// The object's memory has to be there still.
const void *_Nullable core_data_try_retain(const void *_Nonnull object);

#endif
