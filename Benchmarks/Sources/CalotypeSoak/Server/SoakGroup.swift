import BenchmarkHarness
import FoundationEssentials
import Glibc

/// A memory control group for a run of ``ServerSoak``, inside the one that this process is in; or, where none can be made,
/// a limit of the process.
struct SoakGroup {
  /// The folder of the group, or ``dataLimit``.
  private let path: String
  private let isVersion2: Bool

  /// What stands for a group.
  private static let dataLimit = "data-limit"
  /// Bytes of private writable memory, resident or not: what stacks and allocators reserve is in it, so it is more than
  /// that of a group.
  private static let dataBytes = 2 * SoakBounds.groupMemory

  /// Runs this program again with the same arguments, in a group.
  ///
  /// - Returns: Whether it went well.
  static func run(_ arguments: [String]) throws -> Bool {
    let group = make()
    defer { group.remove() }
    let child = try SoakChild([SoakChild.own, "server-member", group.path] + arguments)
    for line in child.lines() { print(line) }
    let status = child.wait()
    for note in group.notes { print(note) }
    if status & 0x7F != 0 {
      print("server: ended by signal \(status & 0x7F), confined by \(name(of: group.path))")
    }
    fflush(nil)
    return status == 0
  }

  /// What the output calls it.
  static func name(of path: String) -> String {
    path == dataLimit
      ? "RLIMIT_DATA of \(dataBytes >> 20) MiB" : "a control group of \(SoakBounds.groupMemory >> 20) MiB"
  }

  /// Puts this process into it.
  ///
  /// - Throws: `ChildProcessError`.
  static func enter(_ path: String) throws {
    if path == dataLimit {
      var limit = rlimit(rlim_cur: rlim_t(dataBytes), rlim_max: rlim_t(dataBytes))
      guard setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit) == 0 else {
        throw ChildProcessError(description: "no limit of data: \(errno)")
      }
    } else if !write("\(getpid())", to: "\(path)/cgroup.procs") {
      throw ChildProcessError(description: "no way into \(path): \(errno)")
    }
  }

  // MARK: Making it

  private static func make() -> SoakGroup {
    for (base, isVersion2) in bases {
      let path = "\(base)/calotype-soak-\(getpid())"
      guard mkdir(path, 0o755) == 0 else { continue }
      let group = SoakGroup(path: path, isVersion2: isVersion2)
      let bytes = "\(SoakBounds.groupMemory)"
      if write(bytes, to: "\(path)/\(isVersion2 ? "memory.max" : "memory.limit_in_bytes")") {
        // Not to the swap space, where there is one.
        _ = write(
          isVersion2 ? "0" : bytes, to: "\(path)/memory.\(isVersion2 ? "swap.max" : "memsw.limit_in_bytes")")
        return group
      }
      group.remove()
    }
    return SoakGroup(path: dataLimit, isVersion2: false)
  }

  /// The groups of this process that may have a memory controller.
  private static var bases: [(path: String, isVersion2: Bool)] {
    let text = (try? String(contentsOf: URL(filePath: "/proc/self/cgroup"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { return nil }
      if parts[1].isEmpty { return ("/sys/fs/cgroup\(parts[2] == "/" ? "" : parts[2])", true) }
      return parts[1].split(separator: ",").contains("memory")
        ? ("/sys/fs/cgroup/memory\(parts[2])", false) : nil
    }
  }

  /// What the kernel says of the run.
  private var notes: [String] {
    if path == Self.dataLimit { return [] }
    let names =
      isVersion2
      ? ["memory.peak", "memory.events"]
      : ["memory.max_usage_in_bytes", "memory.failcnt", "memory.oom_control"]
    return names.compactMap { name in
      guard let text = try? String(contentsOf: URL(filePath: "\(path)/\(name)"), encoding: .utf8) else {
        return nil
      }
      return "\(name): \(text.split(separator: "\n").joined(separator: ", "))"
    }
  }

  private func remove() {
    if path == Self.dataLimit { return }
    // The group is busy until the last process in it is gone.
    for _ in 0..<100 {
      if rmdir(path) == 0 { return }
      let left = (try? String(contentsOf: URL(filePath: "\(path)/cgroup.procs"), encoding: .utf8)) ?? ""
      for process in left.split(separator: "\n").compactMap({ pid_t($0) }) { kill(process, SIGKILL) }
      usleep(100_000)
    }
  }

  private static func write(_ text: String, to path: String) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    return bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } == bytes.count
  }
}
