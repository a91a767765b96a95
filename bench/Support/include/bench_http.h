#pragma once

#include <stddef.h>
#include <stdint.h>

/// `http-hello`, `http-client`: what the load generator, and the client in C, ask for.
static const char bench_http_request[] = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n";
enum { BENCH_HTTP_REQUEST = sizeof bench_http_request - 1 };

/// How its first line begins; a server looks no further.
enum { BENCH_HTTP_REQUEST_LINE = sizeof "GET /hello HTTP/1.1\r\n" - 1 };

/// The most requests on a connection at a time.
enum { BENCH_HTTP_PIPELINED = 16 };

/// Byte `index` of the body that every server answers with.
static inline char bench_http_body(size_t index) { return "Hello, world!"[index % 13]; }

/// What a client found: all of an answer is there if these are right.
static inline uint64_t bench_http_found(unsigned status, size_t size, char last) {
  return (uint64_t)status << 48 ^ (uint64_t)size << 8 ^ (unsigned char)last;
}

/// Bytes in an answer of the server in C, with a body of `size` bytes.
size_t bench_http_answer_size(size_t size);

/// Makes the answer of the server in C, with a body of `size` bytes, so many times in a row. How many bytes are in one,
/// or zero without memory; `free` is up to the caller.
size_t bench_http_answers(size_t size, size_t count, char **answers);
