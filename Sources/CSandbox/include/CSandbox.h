#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A process that decodes and can do nothing else: this program again, started by posix_spawn(3) and locked by itself.
   Errors are negative errno values. */

/* ---- In the host. ---- */

typedef struct {
  /* The path of the program. */
  const char *program;
  /* The value of the variable that makes it a worker. */
  const char *role;
  /* Descriptors of shared memory: the input, which the worker maps read-only, and the output. */
  int input, output;
} csandbox_start_options;

typedef struct {
  pid_t pid;
  /* Refers to the process even if somebody else reaps it; -1 if the kernel has none. */
  int pidfd;
  /* The host's end of the connection. */
  int socket;
} csandbox_process;

/* Starts a worker. It has the descriptors 0 to 2 on /dev/null, 3 for the connection, 4 and 5 for the memory, and no others. */
int csandbox_start(const csandbox_start_options *options, csandbox_process *process);

/* The end of a process. */
typedef struct {
  /* The number of the signal that killed it; 0 if it exited. */
  int signal;
  int exit_status;
  /* Nanoseconds. */
  uint64_t processor_time;
} csandbox_end;

/* Kills the process. */
void csandbox_kill(const csandbox_process *process);

/* Returns the processor time of a process in nanoseconds; 0 if it has ended. */
uint64_t csandbox_processor_time(pid_t pid);

/* Waits for the end of a process that has closed its connection or was killed, for at most so many milliseconds, and kills
   it then. Closes the descriptors. Returns -ECHILD if somebody else has reaped it. */
int csandbox_reap(csandbox_process *process, int milliseconds, csandbox_end *end);

/* Creates shared memory of a size that nobody can shrink. Returns its descriptor. */
int csandbox_memory(size_t count);

/* Enlarges shared memory. */
int csandbox_grow(int memory, size_t count);

/* Returns pages of shared memory to the system; they read as zeros. */
int csandbox_release(int memory, size_t offset, size_t count);

/* Maps shared memory. The size may exceed that of the memory, which can grow up to it. NULL on failure. */
void *csandbox_map(int memory, size_t count, int is_writable);

/* Opens shared memory once more, for reading only. Mappings of it can never be made writable. */
int csandbox_reader(int memory);

/* Sends one datagram, and raises no SIGPIPE. If the other end has no room for it, waits, or returns -EAGAIN. */
ptrdiff_t csandbox_send(int socket, const void *bytes, size_t count, int waits);

/* Receives one datagram; 0 at the end of the connection. -EAGAIN after csandbox_set_timeout, -EMSGSIZE if it is larger
   than the buffer. */
ptrdiff_t csandbox_receive(int socket, void *buffer, size_t count);

/* Limits the time that csandbox_receive waits. */
int csandbox_set_timeout(int socket, int microseconds);

/* ---- In the worker. ---- */

/* The name of the variable that makes a program a worker. */
#define CSANDBOX_ROLE "CALOTYPE_SANDBOX_WORKER"
#define CSANDBOX_SOCKET 3
#define CSANDBOX_INPUT 4
#define CSANDBOX_OUTPUT 5

/* What the worker is allowed, and what it keeps from itself. */
typedef struct {
  /* Bytes of address space besides those that are mapped now. */
  size_t memory;
  /* Seconds of processor time. */
  uint64_t processor_time;
  /* Tests leave these out. */
  int without_seccomp, without_landlock;
} csandbox_lock_options;

typedef struct {
  int has_seccomp;
  /* The version of the interface of Landlock; 0 without it. */
  int landlock_abi;
  int has_address_limit;
} csandbox_posture;

/* Gives up everything but computing, the connection and memory. */
int csandbox_lock(const csandbox_lock_options *options, csandbox_posture *posture);

/* Sends a datagram of 16 bytes when a forbidden system call is trapped: these 8 bytes, then the number. Then the process ends. */
void csandbox_set_violation_prefix(uint64_t prefix);

/* Returns 1 if a sanitizer is linked, whose own system calls a filter would forbid. */
int csandbox_is_sanitized(void);

/* Calls calotype_sandbox_prepare(), if the program defines it: test kits register their decoders there. */
void csandbox_prepare_tests(void);
