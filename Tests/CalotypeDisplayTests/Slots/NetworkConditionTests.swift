@testable import CalotypeDisplay
import CLinux
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

@testable import Calotype

/// What loading costs, told by the program or by the system.
@Suite("Network condition", .timeLimit(.minutes(5)))
struct NetworkConditionTests {
  @Test(
    "a program that knows: the present condition, then changes, the newest only, to all who listen")
  func manual() async {
    let network = ManualNetworkCondition(.offline)
    var first = network.conditions().makeAsyncIterator()
    #expect(await first.next() == .offline)
    network.current = .metered
    network.current = .metered
    #expect(await first.next() == .metered && network.current == .metered)
    network.current = .offline
    network.current = .unmetered
    var second = network.conditions().makeAsyncIterator()
    #expect(await first.next() == .unmetered)
    #expect(await second.next() == .unmetered)
    #expect(network.listenerCount == 2)
  }

  @Test("its streams end when their task is cancelled, or when it goes")
  func manualEnds() async throws {
    var network: ManualNetworkCondition? = ManualNetworkCondition()
    let conditions = network?.conditions()
    let task = Task { [network] in
      var count = 0
      if let conditions = network?.conditions() { for await _ in conditions { count += 1 } }
      return count
    }
    try await eventually { network?.listenerCount ?? 2 >= 2 }
    task.cancel()
    _ = await task.value
    try await eventually { network?.listenerCount ?? 1 <= 1 }
    network = nil
    var seen: [NetworkCondition] = []
    if let conditions { for await condition in conditions { seen.append(condition) } }
    #expect(seen == [.unmetered])
  }

  @Test("listeners may leave while they are told: neither waits for the other")
  func leavingWhileTold() async throws {
    let network = ManualNetworkCondition()
    for _ in 0..<3000 {
      let listener = Task {
        for await _ in network.conditions() {}
      }
      let teller = Task {
        for step in 0..<20 { network.current = step % 2 == 0 ? .offline : .metered }
      }
      await Task.yield()
      listener.cancel()
      await listener.value
      await teller.value
    }
    try await eventually { network.listenerCount == 0 }
  }

  @Test("routes of IPv4: default ones that are up, the preferred first")
  func version4() {
    let table =
      FakeSystem.header4 + FakeSystem.route4("wlan0", metric: 600) + FakeSystem.route4("eth0", metric: 100)
      + FakeSystem.route4("eth1", metric: 1, flags: "0002")
      + FakeSystem.route4("eth2", metric: 1, flags: "0203")
      + FakeSystem.route4("eth3", metric: 1, to: "000200C0") + "damaged\t00000000\n\n"
    #expect(
      DefaultRoute.version4(lines(table)) == [
        DefaultRoute(interface: "eth0", metric: 100), DefaultRoute(interface: "wlan0", metric: 600),
      ])
    #expect(DefaultRoute.version4(lines(FakeSystem.header4)).isEmpty && DefaultRoute.version4([]).isEmpty)
  }

  private func lines(_ table: String) -> [Substring] { table.split(separator: "\n") }

  @Test("routes of IPv6: the one that the kernel refuses is none")
  func version6() {
    let table =
      FakeSystem.route6("lo", metric: "ffffffff", flags: "00200200")
      + FakeSystem.route6("eth0", metric: "00000400")
      + FakeSystem.route6("wlan0", metric: "00000064")
      + FakeSystem.route6("eth1", metric: "00000001", prefix: "40")
      + FakeSystem.route6("eth2", metric: "00000001", flags: "00200201")
    #expect(DefaultRoute.version6(lines(table)).map(\.interface) == ["wlan0", "eth0"])
    #expect(DefaultRoute.version6(lines(table)).first?.metric == 100)
  }

  @Test(
    "offline without a route, or when its interface is down; metered by the interface, of either version"
  )
  func conditions() throws {
    let system = try FakeSystem()
    let probe = system.probe()
    try system.routes("")
    #expect(probe.condition == .offline)
    try system.device("eth0")
    try system.device("wwan0", type: "wwan")
    try system.routes(FakeSystem.route4("eth0", metric: 100))
    #expect(probe.condition == .unmetered)
    #expect(try probe.interfaces == [NetworkInterface(name: "eth0")])
    // The mobile one is the second choice.
    try system.routes(FakeSystem.route4("wwan0", metric: 700) + FakeSystem.route4("eth0", metric: 100))
    #expect(probe.condition == .unmetered)
    try system.device("eth0", state: "down")
    #expect(probe.condition == .metered)
    #expect(try probe.interfaces == [NetworkInterface(name: "wwan0", deviceType: "wwan")])
    try system.device("wwan0", state: "lowerlayerdown", type: "wwan")
    #expect(probe.condition == .offline)
    // Some do not know: tunnels, for one.
    try system.device("eth0", state: "unknown")
    #expect(probe.condition == .unmetered)
    try system.device("wwan0", type: "wwan")
    try system.routes(FakeSystem.route4("eth0", metric: 1), FakeSystem.route6("wwan0", metric: "00000400"))
    #expect(try probe.interfaces.count == 2 && probe.condition == .metered)
    try system.routes("", FakeSystem.route6("eth0", metric: "00000400"))
    #expect(probe.condition == .unmetered)
    #expect(system.probe { $0.name == "eth0" }.condition == .metered)
  }

  @Test("what can not be read is no sign of being offline: it is as it was, unmetered in the beginning")
  func unreadable() throws {
    let system = try FakeSystem()
    let probe = system.probe()
    // There is no table at all.
    #expect(probe.condition == .unmetered && (try? probe.interfaces) == nil)
    try system.device("wwan0", type: "wwan")
    try system.routes(FakeSystem.route4("wwan0", metric: 1))
    #expect(probe.condition == .metered)
    // A folder can be opened, not read.
    for table in ["route", "ipv6_route"] {
      let path = system.folder.path(table)
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      #expect(probe.condition == .metered && (try? probe.interfaces) == nil)
      try FileManager.default.removeItem(atPath: path)
      // Kernels may do without one of them.
      #expect(probe.condition == (table == "route" ? .offline : .metered))
      try system.routes(FakeSystem.route4("wwan0", metric: 1))
      #expect(probe.condition == .metered)
    }
    let failures = [ENOENT, EMFILE, ENFILE, ENOMEM, EACCES].map { KernelFile.Failure(code: $0) }
    #expect(failures.map(\.isAbsence) == [true, false, false, false, false])
    #expect(failures.map(\.isShortage) == [false, true, true, true, false])
  }

  @Test("tables are read to the end, but for a line that has none; more than the limit says nothing")
  func longTables() throws {
    let system = try FakeSystem()
    try system.device("eth0")
    let others = (0..<1000).map { _ in
      FakeSystem.route6("eth0", metric: "00000001", prefix: "40")
    }
    .joined()
    let table = others + FakeSystem.route6("eth0", metric: "00000400")
    #expect(others.utf8.count > 1 << 16)
    var probe = system.probe()
    try system.routes("", table)
    #expect(probe.condition == .unmetered && (try? probe.interfaces)?.isEmpty == false)
    try system.routes("", String(table.dropLast()))
    #expect(probe.condition == .offline)
    try system.routes("", table)
    probe.limit = table.utf8.count
    #expect(probe.condition == .unmetered)
    probe.limit -= 1
    #expect(throws: KernelFile.Failure(code: EFBIG)) { try probe.interfaces }
    try system.routes("", String(table.dropLast(1)))
    #expect(probe.condition == .offline)
  }

  @Test("a route that goes without a word is missed when the changes before have settled")
  func silence() async throws {
    let system = try FakeSystem()
    try system.device("eth0")
    try system.routes(FakeSystem.route4("eth0", metric: 100))
    // The third look finds another condition: when it begins, when it is told, and once more.
    let looks = Lock(0)
    let probe = system.probe { _ in
      looks.withLock { looks in
        looks += 1
        return looks > 3
      }
    }
    let network = SystemNetworkCondition(probe) { system.openChanges() }
    let recorder = EventRecorder<NetworkCondition>()
    let task = Task { await recorder.record(network.conditions()) }
    try await recorder.waitFor(count: 1)
    // It looks once more after the beginning, too.
    try await eventually { looks.withLock({ $0 }) >= 2 }
    system.notify()
    #expect(try await recorder.waitFor(count: 2) == [.unmetered, .metered])
    #expect(looks.withLock { $0 } == 4)
    task.cancel()
    await task.value
  }

  @Test(
    "the system tells changes to all who listen by one socket, which is closed when the last has left"
  )
  func changes() async throws {
    let system = try FakeSystem()
    try system.device("eth0")
    try system.routes("")
    let network = SystemNetworkCondition(system.probe()) { system.openChanges() }
    let first = EventRecorder<NetworkCondition>()
    let second = EventRecorder<NetworkCondition>()
    let tasks = [first, second].map { recorder in
      Task { await recorder.record(network.conditions()) }
    }
    #expect(try await first.waitFor(count: 1) == [.offline])
    #expect(try await second.waitFor(count: 1) == [.offline])
    try system.routes(FakeSystem.route4("eth0", metric: 100))
    system.notify()
    #expect(try await first.waitFor(count: 2) == [.offline, .unmetered])
    #expect(try await second.waitFor(count: 2) == [.offline, .unmetered])
    // One that comes late begins with the present one, and needs no other socket.
    var late = network.conditions().makeAsyncIterator()
    #expect(await late.next() == .unmetered)
    #expect(system.openCount == 1)
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    try system.routes("")
    system.notify()
    #expect(await late.next() == .offline)
  }

  @Test("when the last one has left, the thread goes, and the next one begins anew")
  func leaving() async throws {
    let system = try FakeSystem()
    try system.device("eth0")
    try system.routes(FakeSystem.route4("eth0", metric: 100))
    let network = SystemNetworkCondition(system.probe()) { system.openChanges() }
    for round in 1...5 {
      let recorder = EventRecorder<NetworkCondition>()
      let task = Task { await recorder.record(network.conditions()) }
      #expect(try await recorder.waitFor(count: 1) == [.unmetered])
      #expect(system.openCount == round)
      task.cancel()
      await task.value
      #expect(network.listenerCount == 0)
      try await eventually { system.isLeft }
    }
  }

  @Test("when its socket ends, or there is none, the streams end; the next one tries again")
  func socketEnds() async throws {
    let system = try FakeSystem()
    try system.device("eth0")
    try system.routes(FakeSystem.route4("eth0", metric: 100))
    let ends = Lock<[Int32]>([-1, -1])
    let network = SystemNetworkCondition(system.probe()) {
      var pair: [Int32] = [-1, -1]
      _ = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair)
      ends.withLock { $0 = pair }
      return pair[0]
    }
    let recorder = EventRecorder<NetworkCondition>()
    async let recording: Void = recorder.record(network.conditions())
    try await recorder.waitFor(count: 1)
    close(ends.withLock { $0[1] })
    await recording
    #expect(recorder.elements == [.unmetered] && recorder.ending?.isFinished == true)
    #expect(network.listenerCount == 0)

    let deaf = SystemNetworkCondition(system.probe()) { -1 }
    var seen: [NetworkCondition] = []
    for await condition in deaf.conditions() { seen.append(condition) }
    #expect(seen == [.unmetered])
    var again = network.conditions().makeAsyncIterator()
    #expect(await again.next() == .unmetered)
    close(ends.withLock { $0[1] })
    #expect(await again.next() == nil)
  }

  @Test("this machine answers, and the kernel gives a socket for changes that never blocks")
  func thisMachine() async throws {
    let network = SystemNetworkCondition.shared
    #expect(network.interfaces.isEmpty == (network.current == .offline))
    #expect(network.interfaces.allSatisfy { !$0.name.isEmpty })
    let task = Task { () -> [NetworkCondition] in
      var seen: [NetworkCondition] = []
      for await condition in network.conditions() { seen.append(condition) }
      return seen
    }
    try await eventually { network.listenerCount >= 1 }
    var first = network.conditions().makeAsyncIterator()
    #expect(await first.next() == network.current)
    task.cancel()
    _ = await task.value
    let changes = calotype_route_changes()
    #expect(changes >= 0)
    var byte: UInt8 = 0
    #expect(recv(changes, &byte, 1, 0) == -1 && errno == EAGAIN)
    close(changes)
  }
}
