import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

@testable import CalotypeCaching

/// What Linux says about memory, read from trees of files and from a control group that is short of it.
@Suite struct SystemMemoryPressureTests {
  private func write(_ text: String, _ path: String) throws {
    let url = URL(filePath: path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  private func fakeGroup(_ folder: TemporaryFolder) throws -> MemoryControlGroups {
    let root = folder.url.path
    try write("max\n", "\(root)/sys/fs/cgroup/memory.max")
    try write("1000000\n", "\(root)/sys/fs/cgroup/app/memory.max")
    try write("max\n", "\(root)/sys/fs/cgroup/app/memory.high")
    try write("500000\n", "\(root)/sys/fs/cgroup/app/memory.current")
    try write("anon 400000\ninactive_file 100000\n", "\(root)/sys/fs/cgroup/app/memory.stat")
    try write("low 0\nhigh 3\nmax 4\noom 5\n", "\(root)/sys/fs/cgroup/app/memory.events")
    return MemoryControlGroups(root: root, membership: "0::/app\n")
  }

  @Test func aGroupTellsItsLimitUseAndEvents() throws {
    let folder = try TemporaryFolder()
    let groups = try fakeGroup(folder)
    #expect(groups.limit == 1_000_000)
    #expect(groups.usages == [.init(limit: 1_000_000, workingSet: 400_000)])
    #expect(groups.events == .init(limits: 7, outOfMemory: 5))
    try write("600000\n", "\(folder.url.path)/sys/fs/cgroup/app/memory.high")
    #expect(groups.usages.first?.limit == 600_000)
    #expect(groups.limit == 1_000_000)
    #expect(MemoryControlGroups(root: "/nonexistent", membership: "0::/app\n").groups.isEmpty)
  }

  @Test func useEventsAndStallsAreJudged() throws {
    func sample(_ seconds: Double, used: Int = 0, limits: Int = 0, oom: Int = 0, some: Int = 0, all: Int = 0)
      -> MemoryPressureEstimator.Sample
    {
      MemoryPressureEstimator.Sample(
        time: Int64(seconds * 1e9), usages: [.init(limit: 100, workingSet: used)],
        events: .init(limits: limits, outOfMemory: oom),
        stalls: PressureStalls("some avg10=0.00 total=\(some)\nfull avg10=0.00 total=\(all)\n"))
    }
    var judge = MemoryPressureEstimator()
    #expect(judge.level(sample(0, limits: 9, oom: 9, some: 900_000, all: 900_000)) == .normal)
    #expect(judge.level(sample(1, used: 90, limits: 9, oom: 9, some: 900_000, all: 900_000)) == .warning)
    #expect(judge.level(sample(2, used: 97, limits: 9, oom: 9, some: 900_000, all: 900_000)) == .critical)
    judge = MemoryPressureEstimator()
    #expect(judge.level(sample(0, used: 10)) == .normal)
    // At its limit because of caches of files: no shortage.
    #expect(judge.level(sample(1, used: 10, limits: 5)) == .normal)
    #expect(judge.level(sample(1.5, used: 60, limits: 5)) == .warning)
    #expect(judge.level(sample(4, used: 60, limits: 5)) == .normal)
    #expect(judge.level(sample(5, limits: 5, oom: 1)) == .critical)
    #expect(judge.level(sample(8, limits: 5, oom: 1)) == .normal)
    judge = MemoryPressureEstimator()
    #expect(judge.level(sample(0)) == .normal)
    #expect(judge.level(sample(1, some: 149_000)) == .normal)
    #expect(judge.level(sample(1.5, some: 150_000)) == .warning)
    #expect(judge.level(sample(2, some: 151_000, all: 100_000)) == .critical)
    #expect(judge.level(sample(5, some: 151_000, all: 100_000)) == .normal)
    #expect(PressureStalls("nonsense\n") == nil)
  }

  @Test(.timeLimit(.minutes(1))) func changesOfAGroupAreSeen() async throws {
    let folder = try TemporaryFolder()
    let groups = try fakeGroup(folder)
    let source = SystemMemoryPressure(groups: groups, machineStalls: "", interval: .milliseconds(5))
    #expect(source.facilities == [.controlGroup])
    var pressures = source.pressures().makeAsyncIterator()
    #expect(await pressures.next() == MemoryPressure(.normal, memoryLimit: 1_000_000))
    let app = "\(folder.url.path)/sys/fs/cgroup/app"
    try write("420000\n", "\(app)/memory.high")
    #expect(await pressures.next()?.level == .warning)
    try write("2000\n", "\(app)/memory.max")
    while let next = await pressures.next(), next != MemoryPressure(.critical, memoryLimit: 2000) {}
    try write("max\n", "\(app)/memory.high")
    try write("1000000\n", "\(app)/memory.max")
    while let next = await pressures.next(), next != MemoryPressure(.normal, memoryLimit: 1_000_000) {}
  }

  @Test(.timeLimit(.minutes(1))) func withoutAnythingToWatchStreamsEndAtOnce() async throws {
    let source = SystemMemoryPressure(
      groups: MemoryControlGroups([]), machineStalls: "/nonexistent", interval: .seconds(1))
    #expect(source.facilities.isEmpty)
    var pressures = source.pressures().makeAsyncIterator()
    #expect(await pressures.next() == nil)
    let cache = MemoryCache<Int>(byteLimit: 10)
    await cache.follow(source)
    #expect(cache.statistics.pressure == nil)
  }

  @Test(.timeLimit(.minutes(1))) func thisMachineIsWatched() async throws {
    let source = SystemMemoryPressure()
    let first = source.facilities.isEmpty ? nil : await source.pressures().first { _ in true }
    if let first { #expect(first.memoryLimit ?? 0 > 0) }
  }

  @Test(
    .enabled(if: RealGroup.canBeMade(isVersion2: true), "no memory controller of version 2 to make groups in")
  )
  func aRealGroupThatIsShortIsSeen() async throws {
    try await watchShortage(isVersion2: true)
  }

  @Test(
    .enabled(
      if: RealGroup.canBeMade(isVersion2: false), "no memory controller of version 1 to make groups in"))
  func aRealGroupOfVersion1ThatIsShortIsSeen() async throws {
    try await watchShortage(isVersion2: false)
  }

  /// A child takes 40 MiB in a group that has 32, or 29 in one that is killed above it.
  private func watchShortage(isVersion2: Bool) async throws {
    let group = try RealGroup(isVersion2: isVersion2)
    defer { group.remove() }
    try group.setLimit(32 << 20)
    let source = SystemMemoryPressure(
      groups: MemoryControlGroups([.init(folder: group.folder, isVersion2: isVersion2)]), machineStalls: "",
      interval: .milliseconds(20))
    var pressures = source.pressures().makeAsyncIterator()
    let first = await pressures.next()
    #expect(first?.level == .normal)
    if !isVersion2 { #expect(first?.memoryLimit == 32 << 20) }
    let child = try group.startChild(holding: isVersion2 ? 40 << 20 : 29 << 20)
    defer { child.end() }
    var level = MemoryPressure.Level.normal
    while level == .normal, let next = await pressures.next() { level = next.level }
    #expect(level > .normal)
    child.end()
    while level > .normal, let next = await pressures.next() { level = next.level }
    #expect(level == .normal)
  }
}

/// A control group of our own.
private struct RealGroup {
  let folder: String
  private let isVersion2: Bool

  private static func parent(isVersion2: Bool) -> String? {
    let groups = MemoryControlGroups.ofThisProcess.groups.filter { $0.isVersion2 == isVersion2 }
    // Version 2 lets only groups without processes of their own have controlled children: those around.
    return (isVersion2 ? groups.last : groups.first)?.folder
  }

  static func canBeMade(isVersion2: Bool) -> Bool {
    guard let group = try? RealGroup(isVersion2: isVersion2) else { return false }
    defer { group.remove() }
    return access("\(group.folder)/\(group.limitFile)", W_OK) == 0 && (try? group.setLimit(64 << 20)) != nil
  }

  init(isVersion2: Bool) throws {
    guard let parent = Self.parent(isVersion2: isVersion2) else { throw CocoaError(.fileNoSuchFile) }
    folder = "\(parent)/calotype-test-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    self.isVersion2 = isVersion2
    guard mkdir(folder, 0o755) == 0 else { throw CocoaError(.fileWriteNoPermission) }
  }

  private var limitFile: String { isVersion2 ? "memory.high" : "memory.limit_in_bytes" }

  func setLimit(_ bytes: Int) throws {
    try Data("\(bytes)\n".utf8).write(to: URL(filePath: "\(folder)/\(limitFile)"), options: [])
  }

  func remove() {
    // A process that was killed is in it until it is waited for, and a moment longer.
    for _ in 0..<10_000 where rmdir(folder) != 0 && errno == EBUSY { sched_yield() }
  }

  /// Starts a program that enters the group and keeps so many bytes.
  func startChild(holding bytes: Int) throws -> Child {
    let script = "echo $$ > \(folder)/cgroup.procs; { head -c \(bytes) /dev/zero; exec sleep 60; } | tail"
    var words = (["/bin/sh", "-c", script] as [String]).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A process group of its own, to be ended with all that it starts.
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    var identifier: pid_t = 0
    guard posix_spawn(&identifier, "/bin/sh", nil, &attributes, &words, environ) == 0 else {
      throw CocoaError(.executableNotLoadable)
    }
    return Child(identifier)
  }

  final class Child {
    private var identifier: pid_t?

    init(_ identifier: pid_t) {
      self.identifier = identifier
    }

    func end() {
      guard let identifier else { return }
      kill(-identifier, SIGKILL)
      var status: Int32 = 0
      waitpid(identifier, &status, 0)
      self.identifier = nil
    }
  }
}
