// zlib's header, with a sentence where it is missing. There is only a header.
#pragma once

#if !__has_include(<zlib.h>)
#error "UVHTTPCompression needs the headers of zlib (Debian and Ubuntu: zlib1g-dev; Fedora: zlib-devel; macOS has them)"
#else

#include <zlib.h>

#endif
