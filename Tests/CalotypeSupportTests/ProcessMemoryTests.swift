import Testing

@testable import CalotypeSupport

@Suite("Memory of this process")
struct ProcessMemoryTests {
  private func limit(_ membership: String, _ files: [String: String]) -> Int {
    ProcessMemory.limit(physical: 1000, membership: membership) { files[$0] }
  }

  @Test("the least of the machine, of the group and of those around it")
  func groups() {
    #expect(limit("", [:]) == 1000)
    #expect(limit("0::/a/b\n", ["/sys/fs/cgroup/a/b/memory.max": "max\n"]) == 1000)
    #expect(limit("0::/a/b\n", ["/sys/fs/cgroup/a/b/memory.max": "700\n"]) == 700)
    #expect(
      limit(
        "0::/a/b\n",
        ["/sys/fs/cgroup/a/b/memory.max": "700\n", "/sys/fs/cgroup/a/memory.max": "600\n"]) == 600)
    #expect(limit("0::/../x\n", ["/sys/fs/cgroup/memory.max": "500\n"]) == 500)
    let version1 = ["/sys/fs/cgroup/memory/c/memory.limit_in_bytes": "400\n"]
    #expect(limit("5:cpu,memory:/c\n", version1) == 400)
    #expect(limit("5:cpu:/c\n", version1) == 1000)
    #expect(limit("0::/a\n", ["/sys/fs/cgroup/a/memory.max": "2000\n"]) == 1000)
  }

  @Test func thereIsSome() {
    #expect(ProcessMemory.limit > 16 << 20)
  }
}
