#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef P_PIDFD
#define P_PIDFD 3
#endif

/* Variables of the host that a worker needs: where shared libraries are, and what tests set. */
static const char *const inherited[] = {
    "LD_LIBRARY_PATH", "CALOTYPE_MEMORY_FILL", "CALOTYPE_SIMD",  "MALLOC_PERTURB_",
    "ASAN_OPTIONS",    "TSAN_OPTIONS",         "LLVM_PROFILE_FILE",
};
enum { inherited_count = sizeof inherited / sizeof *inherited };

/* Returns a copy of a descriptor above all that the worker's own numbers may overwrite. */
static int raised(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 64); }

int csandbox_start(const csandbox_start_options *options, csandbox_process *process) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) return -errno;
  int ends[3] = {raised(pair[1]), raised(options->input), raised(options->output)};
  char *variables[inherited_count + 3];
  int count = 0, error = 0;
  for (int k = 0; k < 3; k++)
    if (ends[k] < 0) error = EMFILE;
  if (!error && asprintf(&variables[count], CSANDBOX_ROLE "=%s", options->role) < 0) error = ENOMEM;
  if (!error) {
    count++;
    /* A worker has no terminal to explain itself on, and its crashes are those of its input. */
    variables[count++] = strdup("SWIFT_BACKTRACE=enable=no");
    for (int k = 0; k < inherited_count; k++) {
      const char *value = getenv(inherited[k]);
      if (value && asprintf(&variables[count], "%s=%s", inherited[k], value) >= 0) count++;
    }
    variables[count] = NULL;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    for (int k = 0; k < 3; k++) posix_spawn_file_actions_addopen(&actions, k, "/dev/null", k ? O_WRONLY : O_RDONLY, 0);
    for (int k = 0; k < 3; k++) posix_spawn_file_actions_adddup2(&actions, ends[k], CSANDBOX_SOCKET + k);
    posix_spawn_file_actions_addclosefrom_np(&actions, CSANDBOX_OUTPUT + 1);
    /* A group of its own, so that ^C in a terminal reaches the host only; no signal is blocked or ignored. */
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    char name[] = "calotype-decoder";
    char *arguments[] = {name, NULL};
    error = posix_spawn(&process->pid, options->program, &actions, &attributes, arguments, variables);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  for (int k = 0; k < count; k++) free(variables[k]);
  for (int k = 0; k < 3; k++)
    if (ends[k] >= 0) close(ends[k]);
  close(pair[1]);
  if (error) {
    close(pair[0]);
    return -error;
  }
  process->socket = pair[0];
  process->pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
  return 0;
}

void csandbox_kill(const csandbox_process *process) {
  if (process->pidfd < 0 || syscall(SYS_pidfd_send_signal, process->pidfd, SIGKILL, NULL, 0)) {
    if (process->pidfd < 0) kill(process->pid, SIGKILL);
  }
}

uint64_t csandbox_processor_time(pid_t pid) {
  clockid_t clock;
  struct timespec time;
  if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &time)) return 0;
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int csandbox_reap(csandbox_process *process, int milliseconds, csandbox_end *end) {
  close(process->socket);
  if (process->pidfd >= 0) {
    struct pollfd ended = {.fd = process->pidfd, .events = POLLIN};
    int count;
    do count = poll(&ended, 1, milliseconds);
    while (count < 0 && errno == EINTR);
    if (count <= 0) csandbox_kill(process);
  } else {
    csandbox_kill(process);
  }
  siginfo_t info = {0};
  struct rusage usage = {0};
  long result;
  /* The system call tells the processor time; the function of glibc does not. */
  do
    result = syscall(
        SYS_waitid, process->pidfd >= 0 ? P_PIDFD : P_PID, process->pidfd >= 0 ? process->pidfd : process->pid, &info,
        WEXITED, &usage);
  while (result < 0 && errno == EINTR);
  int error = result < 0 ? errno : 0;
  if (process->pidfd >= 0) close(process->pidfd);
  *end = (csandbox_end){0, 0, 0};
  if (error) return -error;
  end->processor_time = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
                        (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
  if (info.si_code == CLD_EXITED) end->exit_status = info.si_status;
  else end->signal = info.si_status;
  return 0;
}

int csandbox_memory(size_t count) {
  int memory = memfd_create("calotype", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0) return -errno;
  /* A worker that cut it off would end the host with SIGBUS. */
  if (ftruncate(memory, (off_t)count) || fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK)) {
    int error = errno;
    close(memory);
    return -error;
  }
  return memory;
}

int csandbox_grow(int memory, size_t count) { return ftruncate(memory, (off_t)count) ? -errno : 0; }

int csandbox_release(int memory, size_t offset, size_t count) {
  return fallocate(memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)count) ? -errno : 0;
}

void *csandbox_map(int memory, size_t count, int is_writable) {
  void *base = mmap(NULL, count, PROT_READ | (is_writable ? PROT_WRITE : 0), MAP_SHARED | MAP_NORESERVE, memory, 0);
  return base == MAP_FAILED ? NULL : base;
}

ptrdiff_t csandbox_send(int socket, const void *bytes, size_t count, int waits) {
  ssize_t sent;
  do sent = send(socket, bytes, count, MSG_NOSIGNAL | (waits ? 0 : MSG_DONTWAIT));
  while (sent < 0 && errno == EINTR);
  return sent < 0 ? -errno : sent;
}

int csandbox_reader(int memory) {
  char path[48];
  snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
  int reader = open(path, O_RDONLY | O_CLOEXEC);
  return reader < 0 ? -errno : reader;
}

ptrdiff_t csandbox_receive(int socket, void *buffer, size_t count) {
  ssize_t received;
  /* MSG_TRUNC: the length of the whole datagram. */
  do received = recv(socket, buffer, count, MSG_TRUNC);
  while (received < 0 && errno == EINTR);
  if (received < 0) return -errno;
  return (size_t)received > count ? -EMSGSIZE : received;
}

int csandbox_set_timeout(int socket, int microseconds) {
  struct timeval time = {microseconds / 1000000, microseconds % 1000000};
  return setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) ? -errno : 0;
}
