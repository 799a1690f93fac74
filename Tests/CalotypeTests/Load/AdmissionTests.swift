import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

/// Who may wait, who goes next, and who is sent away.
@Suite("Admission under load", .timeLimit(.minutes(5)))
struct AdmissionTests {
  @Test("10,000 distinct requests to a host that hangs: refused beyond the limit; another host is served")
  func refuses() async throws {
    let loader = FakeLoader { request in
      request.source.url?.host() == "slow" ? FakeReply([.hang]) : .body(try SampleImages.still())
    }
    let pipeline = LoadSamples.pipeline(loader) { $0.limits.waitingRequests = 400 }
    let refusals = Lock(0)
    let tasks = try (0..<10_000).map { index in
      let url = try LoadSamples.url("slow", "\(index)")
      return Task {
        do {
          _ = try await pipeline.image(for: url)
        } catch let error as PipelineError {
          guard case .overloaded(_, let waiting, _) = error else { throw error }
          let retryAfter = try #require(error.retryAfter)
          #expect(waiting <= 400 && retryAfter >= .seconds(1))
          refusals.withLock { $0 += 1 }
        } catch is CancellationError {}
      }
    }
    try await pipeline.until { $0.refusedRequests > 9_000 }
    let statistics = pipeline.statistics
    #expect(statistics.requests <= 400)
    #expect(statistics.runningLoads <= 6)
    // The slow one leaves room to wait.
    #expect(try await pipeline.image(for: LoadSamples.url("fast")).width == 8)
    for task in tasks { task.cancel() }
    for task in tasks { _ = await task.result }
    #expect(refusals.withLock { $0 } > 9_000)
    await pipeline.settle()
    #expect(pipeline.jobs.isIdle)
  }

  @Test("60 requests to each of several hosts that hang: one that answers is served at once")
  func slowHosts() async throws {
    let loader = FakeLoader { request in
      request.source.url?.host()?.hasPrefix("slow") == true
        ? FakeReply([.hang]) : .body(try SampleImages.still())
    }
    let pipeline = LoadSamples.pipeline(loader)
    let tasks = try (0..<480).map { index in
      let url = try LoadSamples.url("slow\(index % 8)", "\(index)")
      return Task { try await pipeline.image(for: url) }
    }
    try await pipeline.until { $0.requests == 480 && $0.runningLoads >= 20 }
    for index in 0..<20 {
      #expect(try await pipeline.image(for: LoadSamples.url("fast", "\(index)")).width == 8)
    }
    #expect(pipeline.statistics.runningLoads < 32)
    for task in tasks { task.cancel() }
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    await pipeline.settle()
  }

  @Test("8,000 callers of one image share it, and a caller beyond the limit is refused")
  func herd() async throws {
    let gate = Gate()
    let url = try LoadSamples.url("h")
    let loader = FakeLoader([url: .gated([(gate, try SampleImages.still())])])
    let pipeline = LoadSamples.pipeline(loader) { $0.limits.callers = 8_000 }
    let tasks = (0..<8_000).map { _ in Task { try await pipeline.image(for: url).width } }
    try await eventually { await pipeline.subscribers >= 8_000 }
    await #expect(throws: PipelineError.self) { try await pipeline.image(for: url) }
    gate.open()
    for task in tasks { #expect(try await task.value == 8) }
    #expect(loader.requests.count == 1)
    await pipeline.settle()
  }

  @Test("loads are taken by turns from hosts and tenants, whoever came first")
  func fairness() async throws {
    let order = Lock([String]())
    let gate = Gate()
    let loader = FakeLoader { request in
      order.withLock { $0.append(request.source.url?.host() ?? "") }
      try await gate.wait()
      return .body(try SampleImages.still())
    }
    let pipeline = LoadSamples.pipeline(loader) { configuration in
      configuration.limits.loads = 3
      configuration.limits.loadsPerOrigin = 3
    }
    var tasks: [Task<Image, any Error>] = []
    for index in 0..<100 {
      let url = try LoadSamples.url("flood", "\(index)")
      tasks.append(Task { try await pipeline.image(for: url) })
    }
    try await pipeline.until { $0.requests == 100 && $0.runningLoads == 3 }
    for index in 0..<5 {
      let url = try LoadSamples.url("other", "\(index)")
      tasks.append(Task { try await pipeline.image(for: url) })
    }
    try await pipeline.until { $0.requests == 105 }
    gate.open()
    for task in tasks { #expect(try await task.value.width == 8) }
    // Three were running; of the next ten or so every other one is the other's.
    let last = try #require(order.withLock { $0.lastIndex(of: "other") })
    #expect(last <= 3 + 14)
    await pipeline.settle()
  }

  @Test(
    "a tenant who wants one image waits for one job a worker, however many another wants",
    arguments: [false, true])
  func twoTenants(isLoad: Bool) async throws {
    let workers = 2
    let flood = 9_999
    // Whether the jobs were those of the tenant who wants one image, in the order of their beginning.
    let order = Lock([Bool]())
    let gate = Gate()
    let time = ManualTime()
    let (common, single) = (
      try SampleImages.still(.jpeg(), width: 400, height: 400),
      try SampleImages.still(.jpeg(), width: 401, height: 400)
    )
    let loader = FakeLoader { request in
      let isOne = request.partition == "one"
      if isLoad {
        order.withLock { $0.append(isOne) }
        try await gate.wait()
      }
      return .body(isOne ? single : common)
    }
    let pipeline = LoadSamples.pipeline(loader) { configuration in
      configuration.clock = time.clock
      configuration.limits.loads = isLoad ? workers : 10_000
      configuration.limits.loadsPerOrigin = configuration.limits.loads
      configuration.limits.decodes = workers
      // A flow may fill half of the queue.
      configuration.limits.waitingRequests = 40_000
      configuration.limits.callers = 40_000
      configuration.limits.decodedBytes = 1 << 30
      configuration.limits.encodedBytes = 1 << 30
      configuration.coders = .standard
      if !isLoad {
        configuration.coders.register(
          WatchedDecoder { width in
            order.withLock { $0.append(width == 401) }
            gate.waitBlocking()
          })
      }
    }
    func request(_ tenant: String, _ index: Int) throws -> ImageRequest {
      var request = ImageRequest(
        url: try LoadSamples.url("h", "\(tenant)/\(index)"), thumbnail: .fit(width: 40, height: 40))
      request.partition = tenant
      return request
    }
    var tasks: [Task<Image, any Error>] = []
    for index in 0..<flood {
      let request = try request("many", index)
      tasks.append(Task { try await pipeline.image(for: request) })
    }
    try await eventually { pipeline.statistics.requests == flood && order.withLock { $0.count } == workers }
    if !isLoad { try await pipeline.until { $0.waitingDecodes == flood - workers } }
    let last = try request("one", 0)
    tasks.append(Task { try await pipeline.image(for: last) })
    try await pipeline.until {
      $0.requests == flood + 1 && $0.waitingDecodes + $0.waitingLoads == flood + 1 - workers
    }
    gate.open()
    for task in tasks { #expect(try await task.value.width == 40) }
    // Behind those that were running, and at most one more of each worker.
    let place = try #require(order.withLock { $0.firstIndex(of: true) })
    #expect(place >= workers && place <= 2 * workers)
    await pipeline.settle()
  }

  @Test("a load that would take longer than anybody has time for is not begun")
  func doomed() async throws {
    let time = ManualTime()
    let loader = FakeLoader { request in
      if request.source.url?.host() == "slow" { time.advance(by: .seconds(2)) }
      return .body(try SampleImages.still())
    }
    let pipeline = LoadSamples.pipeline(loader) { $0.clock = time.clock }
    for index in 0..<4 { _ = try await pipeline.image(for: LoadSamples.url("slow", "\(index)")) }
    var hurried = ImageRequest(url: try LoadSamples.url("slow", "hurried"))
    hurried.deadline = .seconds(1)
    let asked = loader.requests.count
    await #expect(throws: PipelineError.deadlineExceeded(hurried.source.description, after: .seconds(1))) {
      try await pipeline.image(for: hurried)
    }
    #expect(loader.requests.count == asked)
    // Who has time is served, and after a while one is tried again.
    hurried.deadline = .seconds(5)
    #expect(try await pipeline.image(for: hurried).width == 8)
    time.advance(by: .seconds(60))
    var again = ImageRequest(url: try LoadSamples.url("slow", "again"))
    again.deadline = .seconds(1)
    _ = try? await pipeline.image(for: again)
    #expect(loader.requests.contains { $0.source == again.source })
    await pipeline.settle()
  }

  @Test(
    "the time of a load counts from the call: in the queue it ends, and what is left is what the loader has")
  func totalTime() async throws {
    let time = ManualTime()
    let gate = Gate()
    let loader = FakeLoader { request in
      if request.source.url?.path() == "/first" { try await gate.wait() }
      return .body(try SampleImages.still())
    }
    let pipeline = LoadSamples.pipeline(loader) { configuration in
      configuration.clock = time.clock
      configuration.limits.loads = 1
    }
    func call(_ path: String, total: Duration?) throws -> Task<Int, any Error> {
      var request = ImageRequest(url: try LoadSamples.url("h", path))
      request.timeouts.total = total
      return Task { [request] in try await pipeline.image(for: request).width }
    }
    let first = try call("first", total: nil)
    try await loader.waitForRequests(try LoadSamples.url("h", "first"))
    let patient = try call("patient", total: .seconds(60))
    try await pipeline.until { $0.waitingLoads == 1 }
    let hasty = try call("hasty", total: .seconds(15))
    try await pipeline.until { $0.waitingLoads == 2 }
    time.advance(by: .seconds(20))
    let hastyURL = try LoadSamples.url("h", "hasty")
    await #expect(throws: LoadingError.timedOut(hastyURL, phase: .queue, after: .seconds(15))) {
      try await hasty.value
    }
    #expect(loader.requests(for: hastyURL).isEmpty)
    gate.open()
    _ = try await (first.value, patient.value)
    let asked = loader.requests(for: try LoadSamples.url("h", "patient"))
    #expect(asked.map(\.timeouts.total) == [.seconds(40)])
    await pipeline.settle()
  }

  @Test("a caller who joins a load late has its own time: when that of the first is over, it is loaded again")
  func totalTimeOfAnother() async throws {
    let time = ManualTime()
    let (gate, answers) = (Gate(), Lock(0))
    let loader = FakeLoader { request in
      let number = answers.withLock { answers in
        answers += 1
        return answers
      }
      if number == 1 {
        try await gate.wait()
        throw LoadingError.timedOut(try LoadSamples.url("h", "a"), phase: .total, after: .seconds(30))
      }
      return .body(try SampleImages.still())
    }
    let pipeline = LoadSamples.pipeline(loader) { $0.clock = time.clock }
    var request = ImageRequest(url: try LoadSamples.url("h", "a"))
    request.timeouts.total = .seconds(30)
    let first = Task { [request] in try await pipeline.image(for: request).width }
    try await loader.waitForRequests(try LoadSamples.url("h", "a"))
    time.advance(by: .seconds(30))
    let second = Task { [request] in try await pipeline.image(for: request).width }
    try await pipeline.until { _ in pipeline.jobs.images.all.first?.subscriberCount == 2 }
    gate.open()
    await #expect(throws: LoadingError.self) { try await first.value }
    #expect(try await second.value == 8)
    #expect(pipeline.statistics.loads == 2)
    await pipeline.settle()
  }

  @Test(
    "who joins a load at the instant in which it is given up for want of time has its own time",
    arguments: [false, true])
  func joinedTooLate(isObserved: Bool) async throws {
    let loader = FakeLoader { _ in .body(try SampleImages.still()) }
    let pipeline = LoadSamples.pipeline(loader)
    await pipeline.suspend()
    func call(deadline: Duration) throws -> Task<Int, any Error> {
      var request = ImageRequest(url: try LoadSamples.url("h"))
      request.deadline = deadline
      return Task { [request] in
        isObserved
          ? try await pipeline.load(request).image.width : try await pipeline.image(for: request).width
      }
    }
    let request = ImageRequest(url: try LoadSamples.url("h"))
    let place = try pipeline.context.subscribe(to: request, want: pipeline.want(request))
    let (hasty, patient) = (try call(deadline: .seconds(10)), try call(deadline: .seconds(100)))
    try await eventually { place.job.subscriberCount == 3 }
    // As if the third had not been there when the deadlines were compared.
    place.job.abort(DeadlineUnreachable(deadline: pipeline.context.elapsed() + .seconds(50)))
    place.leave()
    await #expect(throws: PipelineError.deadlineExceeded(request.source.description, after: .seconds(10))) {
      try await hasty.value
    }
    await pipeline.resume()
    #expect(try await patient.value == 8)
    await pipeline.settle()
  }

  @Test("a loader that throws a cancellation has failed: nobody has cancelled anything")
  func cancelledByLoader() async throws {
    let loader = FakeLoader { _ in throw CancellationError() }
    let pipeline = LoadSamples.pipeline(loader)
    let url = try LoadSamples.url("h")
    await #expect(throws: LoadingError.connectionFailed(url, reason: "the loader cancelled the load")) {
      try await pipeline.image(for: url)
    }
    await pipeline.settle()
  }

  @Test("sources on this machine have no such limit")
  func localTotalTime() async throws {
    let time = ManualTime()
    let pipeline = LoadSamples.pipeline(Samples.loader) { $0.clock = time.clock }
    await pipeline.suspend()
    var request = ImageRequest(source: .data(try LoadSamples.noise(200, 200), id: "1"))
    request.timeouts.total = .seconds(1)
    let task = Task { [request] in try await pipeline.image(for: request).width }
    try await pipeline.until { $0.waitingLoads == 1 }
    time.advance(by: .seconds(100))
    await pipeline.resume()
    #expect(try await task.value == 200)
    await pipeline.settle()
  }

  @Test("ten sizes of bytes that arrive slowly are decoded together")
  func sizes() async throws {
    let time = ManualTime()
    let photo = try Samples.photo("stream.jpg")
    let gates = (0..<3).map { _ in Gate() }
    let url = try LoadSamples.url("h", "a.jpg")
    var reply = FakeReply([
      .wait(gates[0]), .bytes(photo.prefix(64 << 10)), .wait(gates[1]),
      .bytes(Data(photo.dropFirst(64 << 10).prefix(64 << 10))), .wait(gates[2]),
      .bytes(Data(photo.dropFirst(128 << 10))),
    ])
    reply.expectedLength = photo.count
    let loader = FakeLoader([url: reply])
    let pipeline = LoadSamples.pipeline(loader) { configuration in
      configuration.clock = time.clock
      configuration.limits.decodes = 1
    }
    let tasks = (1...10).map { index in
      Task {
        try await pipeline.image(
          for: ImageRequest(url: url, thumbnail: .fit(width: 40 * index, height: 1_000))
        ).width
      }
    }
    try await eventually { pipeline.jobs.originals.all.first?.subscriberCount == 10 }
    for gate in gates {
      gate.open()
      time.advance(by: .milliseconds(50))
    }
    for (index, task) in tasks.enumerated() { #expect(try await task.value == 40 * (index + 1)) }
    // As many as there are scales that share one.
    #expect(pipeline.statistics.decodes <= 4)
    await pipeline.settle()
  }

  @Test("the refusal of one caller's signature says nothing about another's")
  func signatures() async throws {
    let gate = Gate()
    let loader = FakeLoader { request in
      if request.source.url?.query()?.contains("good") == true { return .body(try SampleImages.still()) }
      try await gate.wait()
      return .status(403)
    }
    let pipeline = LoadSamples.pipeline(loader)
    func request(_ signature: String, _ thumbnail: Thumbnail? = nil) throws -> ImageRequest {
      var request = ImageRequest(
        url: try LoadSamples.url("h", "a.png?sig=\(signature)"), thumbnail: thumbnail)
      request.keyPolicy = .dropping(["sig"])
      return request
    }
    let forged = try request("forged")
    let attacker = Task { try await pipeline.image(for: forged) }
    try await loader.waitForRequests(try #require(forged.source.url))
    let requests = [try request("good"), try request("good", .fit(width: 4, height: 4))]
    let tasks = requests.map { request in Task { try await pipeline.image(for: request).width } }
    // With jobs of their own that join the same load, or with a subscription to the original.
    var others = [requests[0], requests[1], requests[0], requests[1]]
    others[0].cachePolicy = .reload
    others[1].readTiers = .memory
    others[2].includesData = true
    others[3].includesData = true
    let otherTasks = others.map { request in Task { try await pipeline.response(for: request) } }
    let withData = pipeline.load(others[2])
    let dataObserver = Task { try await withData.response.data?.count }
    let load = pipeline.load(requests[0])
    let observer = Task { try await load.image.width }
    let stream = Task {
      var count = 0
      let response = try await pipeline.streamOriginal(of: requests[0]) { count += $0.count }
      return (count, response.data.count)
    }
    try await eventually { await pipeline.subscribers >= 9 }
    try await eventually { pipeline.jobs.originals.all.contains { $0.subscriberCount >= 3 } }
    // Of the forger, of the requests that share an original, and of those that have one each.
    try await eventually { pipeline.jobs.loads.all.contains { $0.subscriberCount >= 3 } }
    gate.open()
    for (request, task) in zip(others, otherTasks) {
      let response = try await task.value
      #expect((response.data != nil) == request.includesData)
    }
    #expect(try await dataObserver.value == SampleImages.still().count)
    #expect(try await observer.value == 8)
    let streamed = try await stream.value
    #expect(streamed.0 > 0 && streamed.0 == streamed.1)
    #expect(try await tasks[0].value == 8)
    #expect(try await tasks[1].value == 4)
    await #expect(throws: LoadingError.self) { try await attacker.value }
    await pipeline.settle()
  }
}

/// The JPEG decoder, which tells of each decode before it begins.
private struct WatchedDecoder: ImageDecoding {
  let begins: @Sendable (_ width: Int) -> Void
  private let base = JPEGDecoder()

  init(_ begins: @escaping @Sendable (_ width: Int) -> Void) { self.begins = begins }

  var formats: [ImageFormat] { base.formats }
  var signatureLength: Int { base.signatureLength }
  func format(of prefix: Data) -> ImageFormat? { base.format(of: prefix) }

  func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    try base.probe(data, limits: limits)
  }

  func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    begins(try base.probe(data, limits: options.limits).size.width)
    return try base.decode(data, minimumSize: minimumSize, options: options)
  }
}
