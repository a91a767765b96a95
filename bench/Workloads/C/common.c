#include "common.h"

#include <stdio.h>
#include <string.h>

static struct cb_named *rows;

void cb_add(struct cb_named *row) {
  row->next = rows;
  rows = row;
}

cb_row cb_find(const char *name) {
  for (struct cb_named *row = rows; row != NULL; row = row->next) {
    if (strcmp(row->name, name) == 0) return row->run;
  }
  return NULL;
}

int cb_fail(struct cb_result *result, int error, const char *what) {
  if (result->error[0] != 0) return error;
  snprintf(result->error, sizeof result->error, "%s: %s", what, uv_strerror(error));
  return error;
}

int cb_run_and_close(uv_loop_t *loop, struct cb_result *result) {
  uv_run(loop, UV_RUN_DEFAULT);
  int error = uv_loop_close(loop);
  if (error != 0) cb_fail(result, error, "a handle was left open");
  return result->error[0] != 0 ? UV_EIO : 0;
}

void cb_address(const struct cb_params *params, struct sockaddr_storage *address) {
  if (uv_ip4_addr(params->host, 0, (struct sockaddr_in *)address) == 0) return;
  uv_ip6_addr(params->host, 0, (struct sockaddr_in6 *)address);
}

uint16_t cb_port(const struct sockaddr_storage *address) {
  // Both families have it at the same place.
  return ntohs(((const struct sockaddr_in *)address)->sin_port);
}

const char *cb_libuv_version(void) { return uv_version_string(); }
