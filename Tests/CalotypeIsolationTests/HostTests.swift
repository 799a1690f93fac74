import CalotypeImaging
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc
import HelperPrograms
import Testing

@testable import CalotypeIsolation

/// Programs with a sandbox, in circumstances that a test cannot have.
@Suite("Hosts of sandboxes", .enabled(if: !Sanitizer.isOn))
struct HostTests {
  /// Starts the program by way of others, and returns it and the line that it prints.
  private func start(by way: [String] = []) throws -> (Child, String) {
    let words = way + [try #require(helperProgram("SandboxHost"))]
    let child = try Child(words[0], Array(words.dropFirst()))
    var line: [UInt8] = []
    while line.last != UInt8(ascii: "\n") {
      let more = child.read(upTo: 200)
      if more.isEmpty { break }
      line += more
    }
    return (child, String(decoding: line, as: UTF8.self))
  }

  private func workers(of parent: pid_t) -> [pid_t] {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(parent)/task")) ?? []
    return threads.flatMap { thread in
      let file = URL(filePath: "/proc/\(parent)/task/\(thread)/children")
      return ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: " ").compactMap {
        pid_t($0)
      }
    }
  }

  @Test("no worker outlives a host that is killed")
  func killed() async throws {
    let (child, line) = try start()
    #expect(line.hasPrefix("equal seccomp"))
    let pids = workers(of: child.pid)
    #expect(!pids.isEmpty)
    child.kill()
    let end = ContinuousClock.now + .seconds(1)
    _ = child.wait()
    // A zombie is dead; another process adopts and reaps it.
    func isAlive(_ pid: pid_t) -> Bool {
      let stat = try? String(contentsOf: URL(filePath: "/proc/\(pid)/stat"), encoding: .utf8)
      return stat.map { !$0.contains(") Z ") } ?? false
    }
    while ContinuousClock.now < end, pids.contains(where: isAlive) {
      try await Task.sleep(for: .milliseconds(5))  // They are no children of ours: nobody reports their end.
    }
    #expect(!pids.contains(where: isAlive))
  }

  @Test("workers that start in main have decoders of one's own, and those that decode in sandboxes only")
  func ownCoders() throws {
    let child = try Child(try #require(helperProgram("SandboxHost")), ["main"])
    defer {
      child.kill()
      _ = child.wait()
    }
    let line = String(decoding: child.read(upTo: 200), as: UTF8.self)
    #expect(line.hasPrefix("equal seccomp"), "\(line)")
  }

  static let ways: [[String]] = [
    // The user nobody, without any capability or group.
    ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"],
    ["/usr/bin/unshare", "--user", "--map-root-user"],
    [
      "/usr/bin/unshare", "--user", "--pid", "--fork", "--mount-proc", "--net", "--ipc", "--uts",
      "--map-root-user",
    ],
    // As containers start programs: no capabilities, and no more of them ever.
    ["/usr/bin/setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"],
  ]

  @Test("sandboxes need no privilege and no namespace, and mind none", arguments: ways)
  func unprivileged(_ way: [String]) throws {
    let program = try #require(helperProgram("SandboxHost"))
    // Some machines forbid other users or namespaces altogether.
    let trial = try Child(way[0], Array(way.dropFirst()) + ["/usr/bin/test", "-x", program])
    guard trial.wait() == 0 else { return }
    let (child, line) = try start(by: way)
    defer {
      child.kill()
      _ = child.wait()
    }
    #expect(line.hasPrefix("equal seccomp landlock="), "\(line)")
  }

  @Test(
    "a worker has nothing of the host, nor of other inputs where each has its own",
    .enabled(if: geteuid() == 0))
  func secrets() throws {
    let secret = "calotype-secret-\(UInt64.random(in: 0 ... .max))"
    let input = "calotype-input-\(UInt64.random(in: 0 ... .max))"
    setenv("CALOTYPE_TEST_SECRET", secret, 1)
    let image = try SandboxLifeTests.photo(width: 64, height: 48) + Data(input.utf8)
    for reuse in [SandboxConfiguration.Reuse.one, .images(100)] {
      let sandbox = Sandboxes.service { $0.reuse = reuse }
      _ = try Sandboxes.registry(sandbox).decode(image)
      let worker = try sandbox.pool.take(for: nil, until: .distantFuture)
      defer { sandbox.pool.giveBack(worker) }
      let folder = "/proc/\(worker.pid)"
      let memory = try Memory(of: worker.pid)
      #expect(memory.byteCount > 1 << 20)
      #expect(!memory.contains(secret))
      // The control: the search finds what is there.
      #expect(memory.contains(input) == (reuse != .one))
      let descriptors = try FileManager.default.contentsOfDirectory(atPath: folder + "/fd").sorted()
      #expect(descriptors == ["0", "1", "2", "3"])
      for number in 0...2 {
        #expect(
          try FileManager.default.destinationOfSymbolicLink(atPath: folder + "/fd/\(number)") == "/dev/null")
      }
      let status = try String(contentsOf: URL(filePath: folder + "/status"), encoding: .utf8)
      #expect(status.contains("CapEff:\t0000000000000000"))
      let variables = try Data(contentsOf: URL(filePath: folder + "/environ"))
      #expect(!String(decoding: variables, as: UTF8.self).contains(secret))
    }
  }

  @Test("an input leaves nothing behind the next one", .enabled(if: geteuid() == 0))
  func rest() throws {
    let input = "calotype-input-\(UInt64.random(in: 0 ... .max))"
    let sandbox = Sandboxes.service()
    let coders = Sandboxes.registry(sandbox)
    let image = try SandboxLifeTests.photo(width: 64, height: 48)
    for data in [image + Data(count: 10_000) + Data(input.utf8), image] { _ = try coders.decode(data) }
    let worker = try sandbox.pool.take(for: nil, until: .distantFuture)
    defer { sandbox.pool.giveBack(worker) }
    #expect(try !Memory(of: worker.pid).contains(input))
    #expect(sandbox.statistics.starts == 1)
  }

  /// The memory of another process, for root.
  private struct Memory {
    private var regions: [[UInt8]] = []
    var byteCount: Int { regions.reduce(0) { $0 + $1.count } }

    init(of pid: pid_t) throws {
      let maps = try String(contentsOf: URL(filePath: "/proc/\(pid)/maps"), encoding: .utf8)
      let file = open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
      try #require(file >= 0)
      defer { close(file) }
      for line in maps.split(separator: "\n") {
        let words = line.split(separator: " ", omittingEmptySubsequences: true)
        let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
        guard ends.count == 2, words[1].hasPrefix("rw") || line.contains("calotype") else { continue }
        var bytes = [UInt8](repeating: 0, count: Int(min(ends[1] - ends[0], 8 << 20)))
        let count = pread(file, &bytes, bytes.count, off_t(truncatingIfNeeded: ends[0]))
        if count > 0 { regions.append(Array(bytes.prefix(count))) }
      }
    }

    func contains(_ text: String) -> Bool {
      let needle = Array(text.utf8)
      return regions.contains { region in
        region.withUnsafeBytes { bytes in
          guard let start = bytes.baseAddress else { return false }
          var at = 0
          while at + needle.count <= bytes.count,
            let found = memchr(start + at, Int32(needle[0]), bytes.count - needle.count - at + 1)
          {
            if memcmp(found, needle, needle.count) == 0 { return true }
            at = UnsafeRawPointer(found) - start + 1
          }
          return false
        }
      }
    }
  }
}
