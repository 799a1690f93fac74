/// The memory control groups of a process, innermost first. Version 2 or 1.
package struct MemoryControlGroups: Sendable {
  package struct Group: Hashable, Sendable {
    package let folder: String
    package let isVersion2: Bool

    package init(folder: String, isVersion2: Bool) {
      (self.folder, self.isVersion2) = (folder, isVersion2)
    }
  }

  /// The present memory use of a group.
  package struct Usage: Hashable, Sendable {
    /// The limit in bytes: `memory.high`, above which it is throttled, or `memory.max`, whichever is less.
    package var limit: Int
    /// The bytes that cannot be reclaimed easily: all but inactive page cache.
    package var workingSet: Int

    package init(limit: Int, workingSet: Int) {
      (self.limit, self.workingSet) = (limit, workingSet)
    }
  }

  /// Counts of events since the creation of the group.
  package struct Events: Hashable, Sendable {
    /// How often it was throttled, or reclaimed at its limit.
    package var limits = 0
    /// How often it ran out of memory.
    package var outOfMemory = 0

    package init(limits: Int = 0, outOfMemory: Int = 0) {
      (self.limits, self.outOfMemory) = (limits, outOfMemory)
    }
  }

  package let groups: [Group]

  /// - Parameters:
  ///   - root: The root of the file tree; empty except in tests.
  ///   - membership: The text of `/proc/self/cgroup`: lines of `id:controllers:path`.
  package init(root: String, membership: String) {
    var groups: [Group] = []
    for line in membership.split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      let isVersion2 = fields[0] == "0" && fields[1].isEmpty
      guard isVersion2 || fields[1].split(separator: ",").contains("memory") else { continue }
      let base = isVersion2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory"
      // Limits of parent groups apply, too. Inside a container the path may be the host's and not exist: the group is
      // then mounted at the root.
      var components = fields[2].split(separator: "/").filter { $0 != ".." && $0 != "." }.map(String.init)
      while true {
        let folder = ([root + base] + components).joined(separator: "/")
        groups.append(Group(folder: folder, isVersion2: isVersion2))
        if components.popLast() == nil { break }
      }
    }
    self.init(groups)
  }

  package init(_ groups: [Group]) {
    self.groups = groups.filter { group in
      SmallFile.text("\(group.folder)/\(group.isVersion2 ? "memory.current" : "memory.usage_in_bytes")")
        != nil
        || SmallFile.text("\(group.folder)/\(group.isVersion2 ? "memory.max" : "memory.limit_in_bytes")")
          != nil
    }
  }

  /// The lowest limit above which memory is refused; `nil` when there is none.
  package var limit: Int? {
    groups.compactMap { number(in: $0, $0.isVersion2 ? "memory.max" : "memory.limit_in_bytes") }.min()
  }

  /// The use of all groups that have a limit.
  package var usages: [Usage] {
    groups.compactMap { group in
      let limits =
        group.isVersion2
        ? [number(in: group, "memory.high"), number(in: group, "memory.max")]
        : [number(in: group, "memory.limit_in_bytes")]
      guard let limit = limits.compactMap({ $0 }).min(),
        let used = number(in: group, group.isVersion2 ? "memory.current" : "memory.usage_in_bytes")
      else { return nil }
      let statistics = values(in: group, "memory.stat")
      let reclaimable = statistics[group.isVersion2 ? "inactive_file" : "total_inactive_file"] ?? 0
      return Usage(limit: limit, workingSet: max(0, used - reclaimable))
    }
  }

  /// The events of the innermost group; version 1 does not count them.
  package var events: Events {
    guard let group = groups.first, group.isVersion2 else { return Events() }
    let counts = values(in: group, "memory.events")
    return Events(limits: (counts["high"] ?? 0) + (counts["max"] ?? 0), outOfMemory: counts["oom"] ?? 0)
  }

  /// The file whose changes signal changes of ``events``.
  package var eventsPath: String? {
    groups.first.flatMap { $0.isVersion2 ? "\($0.folder)/memory.events" : nil }
  }

  /// The file in which the innermost group reports stalls, if it does.
  package var stallPath: String? {
    groups.first.flatMap { $0.isVersion2 ? "\($0.folder)/memory.pressure" : nil }
  }

  /// Returns `nil` for `max`, too, and for the huge number that version 1 uses instead.
  private func number(in group: Group, _ file: String) -> Int? {
    SmallFile.text("\(group.folder)/\(file)").flatMap { Int($0.prefix { $0.isNumber }) }
      .flatMap { $0 > 0 && $0 < 1 << 62 ? $0 : nil }
  }

  /// Reads lines of a name and a number.
  private func values(in group: Group, _ file: String) -> [Substring: Int] {
    guard let text = SmallFile.text("\(group.folder)/\(file)") else { return [:] }
    var result: [Substring: Int] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2, let value = Int(words[1]) { result[words[0]] = value }
    }
    return result
  }
}
