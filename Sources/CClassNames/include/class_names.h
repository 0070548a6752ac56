// The classes of a program by their names alone. Without an Objective-C runtime there is no table of them; Swift's runtime
// keeps a list of the types that each image of the program declares, in the layout of Swift's ABI document "TypeMetadata".

#ifndef CLASS_NAMES_H
#define CLASS_NAMES_H

/// The mangled names, without `$s`, of all classes that a program declares under a name, whatever they are declared in.
///
/// Left out are generic classes, and those that have no name elsewhere: in functions, private ones, in extensions.
///
/// - Returns: The names with a line feed behind each; to be freed. NULL where there is no memory.
char *_Nullable core_data_class_names(const char *_Nonnull name);

#endif
