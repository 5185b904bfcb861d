#ifndef OFFERD_BUILD_H
#define OFFERD_BUILD_H

/// The commit that the program was built from, or an empty string if the build was not told (Package.swift).
const char *offerd_commit(void);

#endif
