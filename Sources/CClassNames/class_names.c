#include "class_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the runtime's swift_enumerateAllMetadataSections hands out for each image; only the beginning is used.
struct section_range {
    uintptr_t start;
    size_t length;
};

struct metadata_sections {
    uintptr_t version;
    const void *base;
    void *unused[2];
    struct section_range protocols;
    struct section_range conformances;
    struct section_range types;
};

extern void swift_enumerateAllMetadataSections(
    bool (*body)(const struct metadata_sections *sections, void *context), void *context);

// The beginning of the descriptors of modules and types. The fields are distances from themselves.
struct descriptor {
    uint32_t flags;
    int32_t parent;
    int32_t name;
};

enum { kind_module = 0, kind_class = 16, kind_struct = 17, kind_enum = 18, deepest = 16 };

static unsigned kind_of(const struct descriptor *d) { return d->flags & 0x1F; }
static bool is_generic(const struct descriptor *d) { return d->flags & 0x80; }
static const char *name_of(const struct descriptor *d) { return (const char *)&d->name + d->name; }

// An odd distance leads to a pointer to the descriptor.
static const struct descriptor *follow(const int32_t *field) {
    int32_t distance = *field;
    if (distance == 0) return NULL;
    const char *place = (const char *)field + (distance & ~(int32_t)1);
    return distance & 1 ? *(const struct descriptor *const *)place : (const struct descriptor *)place;
}

struct search {
    const char *name;
    FILE *output;
};

// Writes a class's mangled name: the module, and each type with the letter of its kind.
static void write_name(const struct descriptor *type, FILE *output) {
    const struct descriptor *path[deepest];
    int depth = 0;
    const struct descriptor *next = type;
    for (; next && kind_of(next) != kind_module; next = follow(&next->parent)) {
        unsigned kind = kind_of(next);
        bool is_nominal = kind == kind_class || kind == kind_struct || kind == kind_enum;
        if (!is_nominal || is_generic(next) || depth == deepest) return;
        path[depth++] = next;
    }
    if (!next) return;
    fprintf(output, "%zu%s", strlen(name_of(next)), name_of(next));
    while (depth > 0) {
        const struct descriptor *step = path[--depth];
        char letter = "CVO"[kind_of(step) - kind_class];
        fprintf(output, "%zu%s%c", strlen(name_of(step)), name_of(step), letter);
    }
    fputc('\n', output);
}

static bool search_image(const struct metadata_sections *sections, void *context) {
    const struct search *search = context;
    const int32_t *record = (const int32_t *)sections->types.start;
    const int32_t *end = (const int32_t *)(sections->types.start + sections->types.length);
    for (; record && record < end; record++) {
        // The last two bits say whether the distance leads to a descriptor (0), to a pointer to one (1) or elsewhere.
        unsigned form = *record & 3;
        if (*record == 0 || form > 1) continue;
        const char *place = (const char *)record + (*record & ~(int32_t)3);
        const struct descriptor *type =
            form ? *(const struct descriptor *const *)place : (const struct descriptor *)place;
        if (type && kind_of(type) == kind_class && strcmp(name_of(type), search->name) == 0) {
            write_name(type, search->output);
        }
    }
    return true;
}

char *core_data_class_names(const char *name) {
    char *text = NULL;
    size_t size = 0;
    FILE *output = open_memstream(&text, &size);
    if (!output) return NULL;
    struct search search = {name, output};
    swift_enumerateAllMetadataSections(search_image, &search);
    fclose(output);
    return text;
}
