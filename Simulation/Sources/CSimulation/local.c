// Sockets of the Unix domain: their names, and descriptors that are passed.

#include "disk.h"
#include "streams.h"

#include <stdlib.h>
#include <string.h>

int local_bind(struct socket *socket, const union address *address);
int local_bind(struct socket *socket, const union address *address) {
  struct place place;
  if (!address->local.sun_path[0]) return -EINVAL;
  int code = disk_find(socket->host, address->local.sun_path, false, &place);
  if (code < 0) return code;
  if (place.node) return -EADDRINUSE;
  struct node *node = node_make(socket->host, S_IFSOCK | 0755);
  node->socket = socket;
  place_fill(&place, node);
  socket->local = *address;
  socket->is_bound = true;
  socket->node = node;
  node_hold(node);
  return 0;
}

void local_close(struct socket *socket) {
  if (!socket->node) return;
  socket->node->socket = NULL;
  node_release(socket->node);
  socket->node = NULL;
}

int local_find(struct sim_host *host, const union address *address, struct socket **socket) {
  struct place place;
  int code = disk_find(host, address->local.sun_path, true, &place);
  if (code < 0) return code;
  if (!place.node) return -ENOENT;
  *socket = place.node->socket;
  return *socket ? 0 : -ECONNREFUSED;
}

// MARK: Descriptors that are passed

/// Files that are on their way with the bytes of a message.
struct rights {
  struct rights *next;
  /// The places of the message's bytes in the flow.
  uint64_t start, end;
  int count;
  struct file *files[16];
};

static void rights_free(struct rights *rights) {
  for (int i = 0; i < rights->count; i++) file_release(rights->files[i]);
  free(rights);
}

int rights_take(const struct msghdr *message, struct rights **taken) {
  struct cmsghdr *header = CMSG_FIRSTHDR(message);
  if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) return -EINVAL;
  struct rights *rights = calloc(1, sizeof *rights);
  rights->count = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
  const int *numbers = (const int *)CMSG_DATA(header);
  for (int i = 0; i < rights->count && i < 16; i++) {
    struct file *file = file_of(numbers[i]);
    if (!file) {
      rights->count = i;
      rights_free(rights);
      return -EBADF;
    }
    file_hold(file);
    rights->files[i] = file;
  }
  *taken = rights;
  return 0;
}

void rights_send(struct socket *socket, struct rights *rights, ssize_t size) {
  struct socket *peer = tcp_peer(socket);
  if (!peer || size <= 0) return rights_free(rights);
  rights->end = outgoing(socket)->sent_count;
  rights->start = rights->end - (uint64_t)size;
  struct rights **last = &peer->rights;
  while (*last) last = &(*last)->next;
  *last = rights;
}

size_t rights_limit(const struct socket *socket, size_t size) {
  uint64_t place = incoming((struct socket *)socket)->taken_count;
  for (const struct rights *rights = socket->rights; rights; rights = rights->next)
    if (rights->end > place) return rights->end < place + size ? (size_t)(rights->end - place) : size;
  return size;
}

void rights_receive(struct socket *socket, struct msghdr *message, int flags) {
  struct rights *rights = socket->rights;
  if (!rights || rights->start >= incoming(socket)->taken_count ||
      message->msg_controllen < CMSG_LEN(sizeof(int) * (size_t)rights->count)) {
    message->msg_controllen = 0;
    return;
  }
  socket->rights = rights->next;
  struct cmsghdr *header = CMSG_FIRSTHDR(message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)rights->count);
  for (int i = 0; i < rights->count; i++)
    ((int *)CMSG_DATA(header))[i] = descriptor_make(rights->files[i], flags & MSG_CMSG_CLOEXEC);
  message->msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)rights->count);
  free(rights);
}

void rights_drop(struct socket *socket) {
  while (socket->rights) {
    struct rights *rights = socket->rights;
    socket->rights = rights->next;
    rights_free(rights);
  }
}
