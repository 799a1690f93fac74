import Glibc

/// Malloc as the documentation has it for servers: Operations, "Memory".
enum ServerAllocator {
  private static let variables = [
    ("MALLOC_ARENA_MAX", "2"), ("MALLOC_MMAP_THRESHOLD_", "1048576"), ("MALLOC_TRIM_THRESHOLD_", "1048576"),
  ]

  /// Begins the program anew with these variables in its environment, unless it has them: malloc reads them at the start.
  static func adopt() {
    guard variables.contains(where: { getenv($0.0) == nil }) else { return }
    for (name, value) in variables { setenv(name, value, 0) }
    var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
    execv("/proc/self/exe", &arguments)
  }
}
