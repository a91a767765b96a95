/// Sockets, and what lies between hosts.
#pragma once

#include "files.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

// MARK: Addresses

union address {
  struct sockaddr any;
  struct sockaddr_in four;
  struct sockaddr_in6 six;
  struct sockaddr_un local;
};

/// The length of an address of its family.
socklen_t address_length(const union address *address);
/// An error if it isn't one of that family.
int address_take(union address *address, int family, const struct sockaddr *from, socklen_t length);
void address_give(const union address *address, struct sockaddr *to, socklen_t *length);
uint16_t address_port(const union address *address);
void address_set_port(union address *address, uint16_t port);
bool address_is_any(const union address *address);
/// An address of IPv4 in IPv6's form as one of IPv4, and the other way round; others as they are.
union address address_unmapped(const union address *address);
union address address_mapped(const union address *address);
/// Whether a socket that is bound to `bound` gets what is sent to `target`.
bool address_matches(const union address *bound, const union address *target, bool only_six);
bool address_is_of(const union address *address, const struct sim_host *host);
/// The host that has the address, seen from `from`; null if there is none.
struct sim_host *address_host(const union address *address, struct sim_host *from);
/// An address of `host`, of the family of `like`, from which `target` is reached.
union address address_own(const struct sim_host *host, const union address *target);

// MARK: Links

/// Nanoseconds that something takes from one host to another.
uint64_t link_latency(struct sim_host *from, struct sim_host *to);
/// When so many bytes arrive that are sent now, after what is on its way already.
uint64_t link_arrival(struct sim_host *from, struct sim_host *to, size_t size);
/// How many of so many bytes arrive at once.
size_t link_portion(struct sim_host *from, struct sim_host *to, size_t size);
/// Whether so much waits for the link that a datagram more is dropped.
bool link_is_full(struct sim_host *from, struct sim_host *to);
/// The weather's values.
struct link link_usual(void);
/// Whether nothing arrives now, because the link is cut or the host is down.
bool link_is_cut(struct sim_host *from, struct sim_host *to);
bool link_is_held(struct sim_host *from, struct sim_host *to);
/// With the chance of the world's weather: how many of `size` bytes are taken.
size_t cut_short(size_t size);

// MARK: Sockets

enum socket_state { SOCKET_NEW, SOCKET_LISTENING, SOCKET_CONNECTING, SOCKET_CONNECTED, SOCKET_DEAD };

enum { MOST_OPTIONS = 24 };

struct socket {
  struct file file;
  struct socket *next_of_host;
  struct sim_host *host;
  int family, type;
  enum socket_state state;
  bool is_bound, reuses_address, reuses_port, only_six, resets_on_close;
  /// What has been shut down here.
  bool has_shut_reading, has_shut_writing;
  int error;
  size_t send_size, receive_size;
  union address local, remote;
  struct { int level, name, value; } options[MOST_OPTIONS];
  // A listener's.
  int backlog, pending_count;
  /// The process that connected, or that began to listen; and the peer's.
  int process, peer_process;
  struct socket *first_pending, *last_pending, *next_pending;
  /// Of a connection that waits to be accepted.
  struct socket *listener;
  // A connection's.
  struct connection *connection;
  int side;
  struct handshake *handshake;
  /// Descriptors that have arrived.
  struct rights *rights;
  /// The name of a socket of the Unix domain.
  struct node *node;
  // A datagram socket's.
  struct datagram *first_datagram, *last_datagram;
  size_t datagram_size;
  int datagram_count;
  struct membership *memberships;
  /// Where it sends what is for a group.
  int multicast_interface;
  /// The other end of a pair.
  struct socket *pair;
};

struct socket *socket_make(struct sim_host *host, int family, int type, int flags);
struct socket *socket_of(int descriptor, int *error);
/// Gives the socket a port if it has none.
int socket_bind_any(struct socket *socket, const union address *target);
bool socket_conflicts(const struct socket *socket, const union address *address, bool listens);
extern const struct kind tcp_kind, udp_kind;

int tcp_connect(struct socket *socket, const union address *address);
int tcp_listen(struct socket *socket, int backlog);
struct socket *tcp_accept(struct socket *listener);
int tcp_shutdown(struct socket *socket, int how);
void tcp_pair(struct socket *one, struct socket *two);
/// Connects at once with a listener of the same host.
int local_connect(struct socket *socket, struct socket *listener);
struct socket *tcp_peer(struct socket *socket);
void tcp_crash(struct sim_host *host);
void tcp_release(void);
void tcp_free_all(void);
/// Goes on with a write of which the socket has taken the first `done` bytes, because it had no room for more: on Linux a write that
/// blocks waits until it has taken all. Returns how many it has taken then. For programs that are run as they are; libuv's sockets
/// don't block.
ssize_t tcp_write_rest(struct socket *socket, const struct iovec *parts, int count, ssize_t done, const char *call);
ssize_t tcp_peek(struct socket *socket, const struct iovec *parts, int count);

ssize_t udp_send(struct socket *socket, const struct iovec *parts, int count, const union address *to);
ssize_t udp_receive(struct socket *socket, const struct iovec *parts, int count, union address *from, int *flags);
void udp_free_all(void);

/// Sets an option of groups; false if it is none.
bool multicast_set(struct socket *socket, int level, int name, const void *bytes, socklen_t length, int *code);
void multicast_drop(struct socket *socket);
/// Whether it sends to groups by the interface of loopback.
bool multicast_is_local(const struct socket *socket);
/// Whether it gets what `source` has sent to the group, by loopback or by the network.
bool multicast_takes(
    const struct socket *socket, const union address *group, bool is_local, const union address *source);
bool address_is_group(const union address *address);
bool address_is_broadcast(const union address *address);
/// The value of an option that is kept.
int socket_option(const struct socket *socket, int level, int name);

int local_bind(struct socket *socket, const union address *address);
int local_find(struct sim_host *host, const union address *address, struct socket **socket);
void local_close(struct socket *socket);
/// Takes the files of a message, which are then sent or freed with it.
int rights_take(const struct msghdr *message, struct rights **taken);
/// Sends files with the `size` bytes that were sent last; frees them if none were.
void rights_send(struct socket *socket, struct rights *rights, ssize_t size);
/// How many of `size` bytes one read may take: it ends with a message that has files.
size_t rights_limit(const struct socket *socket, size_t size);
void rights_receive(struct socket *socket, struct msghdr *message, int flags);
void rights_drop(struct socket *socket);
