// cold-start in C: an echo server.

#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

static char buffer[65536];

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *bytes) {
  (void)handle;
  (void)suggested;
  *bytes = uv_buf_init(buffer, sizeof buffer);
}

static void on_closed(uv_handle_t *handle) { free(handle); }

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *bytes) {
  uv_buf_t answer = uv_buf_init(bytes->base, (unsigned)count);
  // The answers are small: the system takes them at once, or the connection ends.
  if (count < 0 || (count > 0 && uv_try_write(stream, &answer, 1) != count)) uv_close((uv_handle_t *)stream, on_closed);
}

static void on_connection(uv_stream_t *listener, int status) {
  uv_tcp_t *connection = status < 0 ? NULL : malloc(sizeof *connection);
  if (connection == NULL) return;
  uv_tcp_init(listener->loop, connection);
  if (uv_accept(listener, (uv_stream_t *)connection) == 0) uv_read_start((uv_stream_t *)connection, on_allocate, on_read);
}

int main(void) {
  uv_tcp_t listener;
  struct sockaddr_in name = {0};
  int length = sizeof name;
  uv_ip4_addr("127.0.0.1", 0, &name);
  uv_tcp_init(uv_default_loop(), &listener);
  if (uv_tcp_bind(&listener, (struct sockaddr *)&name, 0) < 0) return 1;
  if (uv_listen((uv_stream_t *)&listener, 128, on_connection) < 0) return 1;
  if (uv_tcp_getsockname(&listener, (struct sockaddr *)&name, &length) < 0) return 1;
  printf("%d\n", ntohs(name.sin_port));
  fflush(stdout);
  return uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}
