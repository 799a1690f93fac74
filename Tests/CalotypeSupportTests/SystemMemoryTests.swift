import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeSupport

@Suite struct SystemMemoryTests {
  private func write(_ text: String, _ path: String, in folder: TemporaryFolder) throws {
    let url = folder.url.appending(path: path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  @Test func lowestLimitAboveTheProcessCounts() throws {
    let folder = try TemporaryFolder()
    try write("max\n", "sys/fs/cgroup/memory.max", in: folder)
    try write("1073741824\n", "sys/fs/cgroup/app/memory.max", in: folder)
    try write("max\n", "sys/fs/cgroup/app/worker/memory.max", in: folder)
    let root = folder.path("").hasSuffix("/") ? String(folder.path("").dropLast()) : folder.path("")
    #expect(
      MemoryControlGroups(root: root, membership: "0::/app/worker\n").limit == 1_073_741_824)
    #expect(MemoryControlGroups(root: root, membership: "0::/elsewhere\n").limit == nil)
    #expect(MemoryControlGroups(root: root, membership: "nonsense").limit == nil)
  }

  @Test func versionOneIsRead() throws {
    let folder = try TemporaryFolder()
    try write("268435456\n", "sys/fs/cgroup/memory/memory.limit_in_bytes", in: folder)
    let root = folder.path("").hasSuffix("/") ? String(folder.path("").dropLast()) : folder.path("")
    let membership = "3:cpu,cpuacct:/x\n2:memory:/docker/abc\n"
    #expect(MemoryControlGroups(root: root, membership: membership).limit == 268_435_456)
  }

  @Test func thisProcessMayUseWhatItsGroupsAllow() {
    let available = SystemMemory.availableToThisProcess
    #expect(available > 0 && available <= SystemMemory.physical)
    #expect(available <= MemoryControlGroups.ofThisProcess.limit ?? .max)
  }

  @Test func cacheGetsAQuarterAndAtMostHalfAGigabyte() {
    #expect(SystemMemory.cacheLimit(memory: 400) == 100)
    #expect(SystemMemory.cacheLimit(memory: .max) == 512 << 20)
    #expect(SystemMemory.defaultCacheLimit > 0)
    #expect(SystemMemory.defaultCacheLimit <= min(SystemMemory.physical / 4, 512 << 20))
  }
}
