/// The control groups that hold the memory of a process: its own, innermost first, and those around it. Version 2 or 1.
package struct MemoryControlGroups: Sendable {
  package struct Group: Hashable, Sendable {
    package let folder: String
    package let isVersion2: Bool

    package init(folder: String, isVersion2: Bool) {
      (self.folder, self.isVersion2) = (folder, isVersion2)
    }
  }

  /// What a group says now.
  package struct Usage: Hashable, Sendable {
    /// Bytes it may have: `memory.high`, from where it is throttled, or `memory.max`, whichever is less.
    package var limit: Int
    /// Bytes that cannot be had back easily: all but what of files was not used for long.
    package var workingSet: Int

    package init(limit: Int, workingSet: Int) {
      (self.limit, self.workingSet) = (limit, workingSet)
    }
  }

  /// How often something happened, since the group was made.
  package struct Events: Hashable, Sendable {
    /// It was throttled, or reclaimed at its limit.
    package var limits = 0
    /// There was nothing to be reclaimed.
    package var outOfMemory = 0

    package init(limits: Int = 0, outOfMemory: Int = 0) {
      (self.limits, self.outOfMemory) = (limits, outOfMemory)
    }
  }

  package let groups: [Group]

  /// - Parameters:
  ///   - root: Where the file tree begins; empty outside of tests.
  ///   - membership: The text of `/proc/self/cgroup`: lines of `id:controllers:path`.
  package init(root: String, membership: String) {
    var groups: [Group] = []
    for line in membership.split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      let isVersion2 = fields[0] == "0" && fields[1].isEmpty
      guard isVersion2 || fields[1].split(separator: ",").contains("memory") else { continue }
      let base = isVersion2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory"
      // A limit anywhere above holds too. Inside a container the path may be the host's and not be there: then
      // the group is mounted at the root.
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

  /// The lowest limit from which on memory is refused; `nil` when there is none.
  package var limit: Int? {
    groups.compactMap { number(in: $0, $0.isVersion2 ? "memory.max" : "memory.limit_in_bytes") }.min()
  }

  /// Of all groups that have a limit.
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

  /// Of the innermost group; a group of version 1 does not count them.
  package var events: Events {
    guard let group = groups.first, group.isVersion2 else { return Events() }
    let counts = values(in: group, "memory.events")
    return Events(limits: (counts["high"] ?? 0) + (counts["max"] ?? 0), outOfMemory: counts["oom"] ?? 0)
  }

  /// The file whose changes say that ``events`` changed.
  package var eventsPath: String? {
    groups.first.flatMap { $0.isVersion2 ? "\($0.folder)/memory.events" : nil }
  }

  /// Where the innermost group reports stalls, if it does.
  package var stallPath: String? {
    groups.first.flatMap { $0.isVersion2 ? "\($0.folder)/memory.pressure" : nil }
  }

  /// `nil` for `max` too, and for the huge number that version 1 has instead.
  private func number(in group: Group, _ file: String) -> Int? {
    SmallFile.text("\(group.folder)/\(file)").flatMap { Int($0.prefix { $0.isNumber }) }
      .flatMap { $0 > 0 && $0 < 1 << 62 ? $0 : nil }
  }

  /// Lines of a name and a number.
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
