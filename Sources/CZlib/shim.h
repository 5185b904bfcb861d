// zlib's interface, and what of it Swift cannot call: macros.
#ifndef OFFERD_CZLIB_SHIM_H
#define OFFERD_CZLIB_SHIM_H

#include <zlib.h>

// Prepares to inflate the gzip format and no other.
static inline int offerd_inflate_begin_gzip(z_stream *stream) { return inflateInit2(stream, 16 + MAX_WBITS); }

#endif
