#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

int csandbox_is_sanitized(void) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return 1;
#endif
#endif
  return 0;
}

/* ---- Landlock. ---- */

/* landlock(7); the numbers are those of all architectures. */
enum { landlock_create = 444, landlock_restrict = 446, landlock_version = 1 };

struct landlock_rules {
  uint64_t files, network, scopes;
};

/* Denies all files, ports, sockets and signals that this kernel can deny. Returns the version of its interface, 0 without
   one. */
static int deny_by_landlock(void) {
  long abi = syscall(landlock_create, NULL, 0, landlock_version);
  if (abi < 1) return 0;
  /* The rights of each version: 13 of files in the first. */
  struct landlock_rules rules = {(1ull << 13) - 1, 0, 0};
  if (abi >= 2) rules.files |= 1ull << 13;
  if (abi >= 3) rules.files |= 1ull << 14;
  if (abi >= 4) rules.network = 3;
  if (abi >= 5) rules.files |= 1ull << 15;
  if (abi >= 6) rules.scopes = 3;
  size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
  int ruleset = (int)syscall(landlock_create, &rules, size, 0);
  if (ruleset < 0) return 0;
  int failed = (int)syscall(landlock_restrict, ruleset, 0);
  close(ruleset);
  return failed ? 0 : (int)abi;
}

/* ---- seccomp. ---- */

static uint64_t violation_prefix;

void csandbox_set_violation_prefix(uint64_t prefix) { violation_prefix = prefix; }

static void report_violation(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)context;
  struct {
    uint64_t prefix, number;
  } report = {violation_prefix, (uint64_t)(uint32_t)info->si_syscall};
  (void)!send(CSANDBOX_SOCKET, &report, sizeof report, MSG_NOSIGNAL);
  _exit(93);
}

#if defined(THIS_ARCHITECTURE)
/* Needed to receive work, to send results, for memory, and to end. */
static const int allowed[] = {
    SYS_recvfrom, SYS_sendto, SYS_munmap, SYS_mremap, SYS_brk, SYS_exit_group, SYS_rt_sigreturn,
    /* Of contended locks, of which one thread has none, and of abort(). */
    SYS_futex, SYS_rt_sigprocmask, SYS_gettid, SYS_getpid,
    /* Where there is no vDSO for it. */
    SYS_clock_gettime,
};
/* Ends the process at once. */
static const int fatal[] = {
    SYS_execve, SYS_execveat, SYS_ptrace, SYS_socket, SYS_openat, SYS_process_vm_readv, SYS_process_vm_writev,
#ifdef SYS_open
    SYS_open,
#endif
};
/* Fail harmlessly: libraries write diagnostics to standard error. */
static const int denied[] = {SYS_write, SYS_writev};

enum { allowed_count = sizeof allowed / sizeof *allowed, fatal_count = sizeof fatal / sizeof *fatal, denied_count = sizeof denied / sizeof *denied };

#define STATEMENT(code, k) (struct sock_filter) BPF_STMT(code, k)
#define JUMP(code, k, yes, no) (struct sock_filter) BPF_JUMP(code, k, yes, no)
#define FIELD(name) STATEMENT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, name))
/* The lower half of an argument; both architectures are little-endian. */
#define ARGUMENT(k) STATEMENT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (k)))
#define RETURN(value) STATEMENT(BPF_RET | BPF_K, value)

static int filter_calls(void) {
  struct sock_filter filter[64 + 2 * (allowed_count + fatal_count + denied_count)];
  int n = 0;
  filter[n++] = FIELD(arch);
  filter[n++] = JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCHITECTURE, 1, 0);
  filter[n++] = RETURN(SECCOMP_RET_KILL_PROCESS);
  filter[n++] = FIELD(nr);
#if defined(__x86_64__)
  /* x32. */
  filter[n++] = JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
  filter[n++] = RETURN(SECCOMP_RET_KILL_PROCESS);
#endif
  for (int k = 0; k < allowed_count; k++) {
    filter[n++] = JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)allowed[k], 0, 1);
    filter[n++] = RETURN(SECCOMP_RET_ALLOW);
  }
  /* Memory that is not executable. */
  static const int mapping[] = {SYS_mmap, SYS_mprotect};
  for (int k = 0; k < 2; k++) {
    filter[n++] = JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)mapping[k], 0, 4);
    filter[n++] = ARGUMENT(2);
    filter[n++] = JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1);
    filter[n++] = RETURN(SECCOMP_RET_KILL_PROCESS);
    filter[n++] = RETURN(SECCOMP_RET_ALLOW);
  }
  /* Not the advices that damage pages: MADV_HWPOISON and MADV_SOFT_OFFLINE. */
  filter[n++] = JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 4);
  filter[n++] = ARGUMENT(2);
  filter[n++] = JUMP(BPF_JMP | BPF_JGE | BPF_K, 100, 0, 1);
  filter[n++] = RETURN(SECCOMP_RET_ERRNO | EINVAL);
  filter[n++] = RETURN(SECCOMP_RET_ALLOW);
  /* abort() signals itself. */
  filter[n++] = JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 6);
  filter[n++] = ARGUMENT(0);
  filter[n++] = JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)getpid(), 0, 2);
  filter[n++] = ARGUMENT(2);
  filter[n++] = JUMP(BPF_JMP | BPF_JEQ | BPF_K, SIGABRT, 1, 0);
  filter[n++] = RETURN(SECCOMP_RET_KILL_PROCESS);
  filter[n++] = RETURN(SECCOMP_RET_ALLOW);
  for (int k = 0; k < denied_count; k++) {
    filter[n++] = JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)denied[k], 0, 1);
    filter[n++] = RETURN(SECCOMP_RET_ERRNO | EBADF);
  }
  for (int k = 0; k < fatal_count; k++) {
    filter[n++] = JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)fatal[k], 0, 1);
    filter[n++] = RETURN(SECCOMP_RET_KILL_PROCESS);
  }
  filter[n++] = RETURN(SECCOMP_RET_TRAP);
  struct sock_fprog program = {(unsigned short)n, filter};
  /* In all threads: librsvg computes filters in one. Without the mitigation of speculative stores, which costs decoders a few
     percent and which a process of one input does not need. */
  const unsigned all = SECCOMP_FILTER_FLAG_TSYNC;
  if (!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, all | SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program)) return 0;
  long failed = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, all, &program);
  return failed < 0 ? -errno : failed > 0 ? -ESRCH : 0;
}
#else
static int filter_calls(void) { return -ENOSYS; }
#endif

/* ---- Limits. ---- */

static void limit(int resource, rlim_t value) {
  struct rlimit now;
  if (!getrlimit(resource, &now) && now.rlim_max < value) value = now.rlim_max;
  struct rlimit both = {value, value};
  setrlimit(resource, &both);
}

/* Bytes of address space in use, and those of it that are private and writable. */
static size_t mapped_bytes(size_t *data) {
  *data = 0;
  FILE *file = fopen("/proc/self/statm", "re");
  if (!file) return 0;
  unsigned long pages = 0, data_pages = 0;
  int count = fscanf(file, "%lu %*u %*u %*u %*u %lu", &pages, &data_pages);
  fclose(file);
  if (count != 2) return 0;
  *data = data_pages * (size_t)sysconf(_SC_PAGESIZE);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* A worker of root is not to have the powers of root. Fails where there are none. */
static void drop_capabilities(void) {
  struct {
    uint32_t version;
    int pid;
  } header = {0x20080522, 0};
  struct {
    uint32_t effective, permitted, inheritable;
  } none[2] = {{0, 0, 0}, {0, 0, 0}};
  (void)syscall(SYS_capset, &header, none);
}

static void prefer_as_victim(void) {
  int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  (void)!write(file, "500", 3);
  close(file);
}

static int ascending(const void *a, const void *b) { return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b; }

/* qsort() asks for the memory of the machine when it first sorts more than a kilobyte. */
static void warm_up_sorting(void) {
  int numbers[1024];
  for (int k = 0; k < 1024; k++) numbers[k] = (k * 7919) & 1023;
  qsort(numbers, 1024, sizeof *numbers, ascending);
}

int csandbox_lock(const csandbox_lock_options *options, csandbox_posture *posture) {
  *posture = (csandbox_posture){0, 0, 0};
  warm_up_sorting();
  prefer_as_victim();
  prctl(PR_SET_DUMPABLE, 0);
  size_t data, mapped = mapped_bytes(&data);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NOFILE, 8);
  if (!csandbox_is_sanitized()) {
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_NPROC, 0);
    limit(RLIMIT_CPU, options->processor_time);
    if (mapped && options->memory <= SIZE_MAX - mapped) {
      limit(RLIMIT_AS, mapped + options->memory);
      /* The reservations of shared memory can be given up for other memory. */
      if (data) limit(RLIMIT_DATA, data + options->memory);
      posture->has_address_limit = 1;
    }
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return -errno;
  drop_capabilities();
  if (!options->without_landlock) posture->landlock_abi = deny_by_landlock();
  struct sigaction action = {0};
  action.sa_sigaction = report_violation;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSYS, &action, NULL);
  if (options->without_seccomp || csandbox_is_sanitized()) return 0;
  int error = filter_calls();
  posture->has_seccomp = !error;
  return 0;
}

/* ---- Start. ---- */

/* The loop of a worker; Swift. */
extern void calotype_sandbox_worker(const char *role);

/* Before main: a program that is started as a worker never gets there. Its own initialisers run all the same. */
__attribute__((constructor)) static void begin_as_worker(void) {
  const char *role = getenv(CSANDBOX_ROLE);
  if (!role || !*role || strncmp(role, "main", 4) == 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  calotype_sandbox_worker(role);
  _exit(0);
}

extern void calotype_sandbox_prepare(void) __attribute__((weak));

void csandbox_prepare_tests(void) {
  if (calotype_sandbox_prepare) calotype_sandbox_prepare();
}
