// An open-loop load generator for HTTP/1.1: requests leave by a schedule, whether or not earlier ones were answered, and
// latency counts from the scheduled time. Closed loops slow down with the server and hide its queues.
//
//   cc -O2 -o sender sender.c -lm
//   sender PORT SECONDS SEED <PLAN >RESULTS
//
// PLAN has a line for each stream: CLASS RATE ACCEPT PATH..., with exponential gaps; its paths take turns, and %d in a path is
// replaced by the number of the request. RESULTS has a line for each request: CLASS SCHEDULED LATENCY STATUS RETRY-AFTER, with
// times in microseconds, and status 0 for none within 30 seconds.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { maximumStreams = 64, maximumPaths = 4096, maximumConnections = 20000, bufferSize = 16384 };

typedef struct {
  char name[64], accept[128];
  double rate, next;
  char **paths;
  int pathCount;
  uint64_t random;
} Stream;

typedef struct Connection {
  int fd, stream, isConnecting, inHead;
  double scheduled;
  size_t sent, length, received, bodyLeft;
  int status;
  long retryAfter;
  char request[2048], head[4096];
  struct Connection *nextIdle;
  int isBusy;
} Connection;

static Stream streams[maximumStreams];
static int streamCount, port;
static Connection *connections[maximumConnections];
static int connectionCount, busyCount;
static Connection *idle;
static int poll_;
static long requestNumber;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static double exponential(Stream *stream) {
  stream->random ^= stream->random << 13;
  stream->random ^= stream->random >> 7;
  stream->random ^= stream->random << 17;
  double uniform = ((stream->random >> 11) + 1) / 9007199254740993.0;
  return -log(uniform) / stream->rate * 1e6;
}

static double begin;

static void report(Connection *c, int status) {
  printf("%s %.0f %.0f %d %ld\n", streams[c->stream].name, c->scheduled - begin, now() - c->scheduled, status, c->retryAfter);
  c->isBusy = 0;
  busyCount--;
}

static void drop(Connection *c) {
  close(c->fd);
  c->fd = -1;
}

static void watch(Connection *c, uint32_t events, int operation) {
  struct epoll_event event = {.events = events, .data.ptr = c};
  epoll_ctl(poll_, operation, c->fd, &event);
}

static int open_(Connection *c) {
  c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (c->fd < 0) return -1;
  int one = 1;
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (connect(c->fd, (struct sockaddr *)&address, sizeof address) < 0 && errno != EINPROGRESS) {
    drop(c);
    return -1;
  }
  watch(c, EPOLLIN | EPOLLOUT, EPOLL_CTL_ADD);
  return 0;
}

static void fail(Connection *c) {
  drop(c);
  report(c, 0);
}

static void push(Connection *c) {
  while (c->sent < c->length) {
    ssize_t count = write(c->fd, c->request + c->sent, c->length - c->sent);
    if (count < 0) {
      if (errno == EAGAIN || errno == ENOTCONN) return;
      return fail(c);
    }
    c->sent += count;
  }
  watch(c, EPOLLIN, EPOLL_CTL_MOD);
}

static const char *field(const char *head, const char *name) {
  size_t length = strlen(name);
  for (const char *line = strstr(head, "\r\n"); line; line = strstr(line, "\r\n")) {
    line += 2;
    if (!strncasecmp(line, name, length) && line[length] == ':') return line + length + 1;
  }
  return NULL;
}

static void pull(Connection *c) {
  static char buffer[1 << 16];
  for (;;) {
    ssize_t count = read(c->fd, buffer, sizeof buffer);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      if (c->isBusy) return fail(c);
      return drop(c);
    }
    char *bytes = buffer;
    if (c->inHead) {
      size_t taken = count < (ssize_t)(sizeof c->head - 1 - c->received) ? (size_t)count : sizeof c->head - 1 - c->received;
      memcpy(c->head + c->received, bytes, taken);
      size_t before = c->received;
      c->received += taken;
      c->head[c->received] = 0;
      char *end = strstr(c->head, "\r\n\r\n");
      if (!end) {
        if (c->received == sizeof c->head - 1) return fail(c);
        continue;
      }
      c->inHead = 0;
      c->status = atoi(c->head + 9);
      const char *length = field(c->head, "content-length"), *retry = field(c->head, "retry-after");
      c->bodyLeft = length ? strtoull(length, NULL, 10) : 0;
      c->retryAfter = retry ? atol(retry) : -1;
      size_t headLength = end + 4 - c->head;
      bytes += headLength - before;
      count -= headLength - before;
    }
    c->bodyLeft -= (size_t)count < c->bodyLeft ? (size_t)count : c->bodyLeft;
    if (!c->inHead && c->bodyLeft == 0) {
      int closes = strcasestr(c->head, "\r\nconnection: close") != NULL;
      report(c, c->status);
      if (closes) return drop(c);
      c->nextIdle = idle;
      idle = c;
      return;
    }
  }
}

static void start(int index, double scheduled) {
  Stream *stream = &streams[index];
  Connection *c = NULL;
  while (idle && !c) {
    c = idle;
    idle = idle->nextIdle;
    if (c->fd < 0) c = NULL;
  }
  if (!c) {
    for (int i = 0; i < connectionCount && !c; i++)
      if (connections[i]->fd < 0 && !connections[i]->isBusy) c = connections[i];
    if (!c && connectionCount < maximumConnections) c = connections[connectionCount++] = calloc(1, sizeof *c), c->fd = -1;
    if (!c) {
      printf("%s %.0f 0 0 -1\n", stream->name, scheduled - begin);
      return;
    }
  }
  c->stream = index;
  c->scheduled = scheduled;
  c->isBusy = 1;
  c->inHead = 1;
  c->received = c->sent = 0;
  c->retryAfter = -1;
  busyCount++;
  char path[1024];
  const char *pattern = stream->paths[requestNumber % stream->pathCount], *mark = strstr(pattern, "%d");
  if (mark)
    snprintf(path, sizeof path, "%.*s%ld%s", (int)(mark - pattern), pattern, requestNumber, mark + 2);
  else
    snprintf(path, sizeof path, "%s", pattern);
  requestNumber++;
  c->length = snprintf(c->request, sizeof c->request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept: %s\r\n\r\n", path, port, stream->accept);
  if (c->fd < 0 && open_(c) < 0) {
    report(c, 0);
    return;
  }
  push(c);
}

int main(int count, char **arguments) {
  if (count != 4) return fprintf(stderr, "usage: sender PORT SECONDS SEED <PLAN >RESULTS\n"), 2;
  port = atoi(arguments[1]);
  double seconds = atof(arguments[2]);
  signal(SIGPIPE, SIG_IGN);
  struct rlimit limit = {maximumConnections + 100, maximumConnections + 100};
  setrlimit(RLIMIT_NOFILE, &limit);
  char *line = NULL;
  size_t capacity = 0;
  while (streamCount < maximumStreams && getline(&line, &capacity, stdin) > 0) {
    Stream *s = &streams[streamCount];
    char *rest = line, *word = strsep(&rest, " \n");
    if (!word || !*word) continue;
    snprintf(s->name, sizeof s->name, "%s", word);
    s->rate = atof(strsep(&rest, " \n"));
    snprintf(s->accept, sizeof s->accept, "%s", strsep(&rest, " \n"));
    s->paths = calloc(maximumPaths, sizeof *s->paths);
    while (rest && s->pathCount < maximumPaths && (word = strsep(&rest, " \n")))
      if (*word) s->paths[s->pathCount++] = strdup(word);
    s->random = strtoull(arguments[3], NULL, 10) * 0x9E3779B97F4A7C15 + streamCount * 2 + 1;
    for (int i = 0; i < 8; i++) exponential(s);
    streamCount++;
  }
  static char output[1 << 20];
  setvbuf(stdout, output, _IOFBF, sizeof output);
  poll_ = epoll_create1(0);
  begin = now();
  for (int i = 0; i < streamCount; i++) streams[i].next = begin + exponential(&streams[i]);
  double end = begin + seconds * 1e6;
  for (;;) {
    double time = now(), next = end + 30e6;
    for (int i = 0; i < streamCount; i++) {
      while (streams[i].next <= time && streams[i].next < end) {
        start(i, streams[i].next);
        streams[i].next += exponential(&streams[i]);
      }
      if (streams[i].next < next && streams[i].next < end) next = streams[i].next;
    }
    time = now();
    if (time >= end && (busyCount == 0 || time > end + 30e6)) break;
    double wait = next - time;
    if (time >= end && wait > 50e3) wait = 50e3;
    struct timespec timeout = {wait > 0 ? (time_t)(wait / 1e6) : 0, wait > 0 ? (long)fmod(wait * 1e3, 1e9) : 0};
    struct epoll_event events[256];
    int ready = epoll_pwait2(poll_, events, 256, &timeout, NULL);
    for (int i = 0; i < ready; i++) {
      Connection *c = events[i].data.ptr;
      if (c->fd < 0) continue;
      if (c->isBusy && c->sent < c->length && (events[i].events & (EPOLLOUT | EPOLLERR))) push(c);
      if (c->fd >= 0 && (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR))) pull(c);
    }
  }
  for (int i = 0; i < connectionCount; i++)
    if (connections[i]->isBusy) report(connections[i], 0);
  return 0;
}
