import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

/// Jobs that wait for what others hold: each gets it, or an error, and nothing is held that is not counted.
@Suite("Contention", .timeLimit(.minutes(5)))
struct ContentionTests {
  @Test(
    "pictures that fit alone go one after the other, and those that never can are refused",
    arguments: [1, 2, 3])
  func encodedBytesOfThoseThatWait(count: Int) async throws {
    let png = try SampleImages.still(width: 1_200, height: 1_200)
    let request = try ImageRequest(url: LoadSamples.url("h", "0"))
    let plain = ResolvedRequest(
      request, .init(loader: LoaderGroup.standard, memoryCache: nil, diskCache: nil))
    let pixels = plain.decodeOptions.workingByteCount(for: try CoderRegistry.standard.probe(png))
    // Behind the picture, where decoders do not look.
    let body = png + Data(count: max(0, pixels / 8 - png.count))
    // One fits with its own bytes if there are two; not even that if there is one.
    let limit = pixels + (count == 1 ? body.count / 2 : body.count + body.count / 2)
    let loader = FakeLoader { _ in .body(body) }
    let pipeline = LoadSamples.pipeline(loader) { $0.memory = ImagePipeline.Memory(byteLimit: limit) }
    pipeline.context.decodes.isSuspended = true
    let tasks = try (0..<count).map { index in
      let url = try LoadSamples.url("h", "\(index)")
      return Task { try await pipeline.image(for: url).width }
    }
    try await pipeline.until { $0.waitingDecodes == count && $0.encodedBytes >= count * body.count }
    pipeline.context.decodes.isSuspended = false
    var made = 0
    for task in tasks {
      switch await task.result {
      case .success(let width):
        #expect(width == 1_200)
        made += 1
      case .failure(PipelineError.exceedsMemory): #expect(count == 1)
      case .failure(PipelineError.overloaded): #expect(count > 1)
      case .failure(let error): throw error
      }
    }
    // Some may have to go, so that another gets what they hold.
    #expect(made >= min(1, count - 1))
    // And nothing else is stuck behind them.
    let small = try SampleImages.still()
    let url = try LoadSamples.url("other")
    loader.route(url, .body(small))
    _ = try await pipeline.image(for: url)
    await pipeline.settle()
  }

  /// Counts the bytes that were read and not let go of.
  private final class LendingCache: DataCaching {
    let inner: FaultyCache
    let lent = Lock(0)

    init(now: @escaping @Sendable () -> Date) { inner = FaultyCache(now: now) }

    func read(_ key: CacheKey) async throws(CachingError) -> CacheRecord? {
      guard let record = try await inner.read(key), !record.data.isEmpty else { return nil }
      let count = record.data.count
      let copy = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
      record.data.withUnsafeBytes {
        copy.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(copy), byteCount: count)
      }
      lent.withLock { $0 += count }
      let data = Data(
        bytesNoCopy: copy, count: count,
        deallocator: .custom { [weak self] start, count in
          start.deallocate()
          self?.lent.withLock { $0 -= count }
        })
      return CacheRecord(
        data: data, metadata: record.metadata, created: record.created, accessed: record.accessed)
    }

    func store(_ data: Data, metadata: RecordMetadata, for key: CacheKey) async throws(CachingError) {
      try await inner.store(data, metadata: metadata, for: key)
    }
    func contains(_ key: CacheKey) async throws(CachingError) -> Bool { try await inner.contains(key) }
    func remove(_ key: CacheKey) async throws(CachingError) -> Bool { try await inner.remove(key) }
    func removeAll(_ selection: CacheSelection) async throws(CachingError) -> Int {
      try await inner.removeAll(selection)
    }
    func removeAll() async throws(CachingError) -> Int { try await inner.removeAll() }
    func flush() async throws(CachingError) { try await inner.flush() }
  }

  @Test(
    "while a server is asked about what is stale, nothing is held that is not reserved",
    arguments: [false, true])
  func staleBytes(isThumbnail: Bool) async throws {
    let (loader, time) = (FakeLoader(), ManualTime())
    let cache = LendingCache(now: { time.date })
    let pipeline = LoadSamples.pipeline(loader) { configuration in
      configuration.diskCache = cache
      configuration.now = { time.date }
      configuration.limits.loads = 100
      configuration.limits.loadsPerOrigin = 100
      configuration.memory = ImagePipeline.Memory(byteLimit: 16 << 20)
    }
    let png = try LoadSamples.noise(200, 200)
    let requests = try (0..<40).map { index -> ImageRequest in
      let url = try LoadSamples.url("h", "\(index)")
      loader.route(url, .body(png, headers: [.cacheControl: "max-age=1", .eTag: "\"1\""]))
      return isThumbnail
        ? ImageRequest(url: url, thumbnail: .fit(width: 150, height: 150)) : ImageRequest(url: url)
    }
    for request in requests { _ = try await pipeline.image(for: request) }
    await pipeline.settle()
    time.advance(by: .seconds(100))
    for request in requests {
      guard let url = request.source.url else { continue }
      loader.route(url) { _ in
        try await Gate().wait()
        return .status(500)
      }
    }
    let tasks = requests.map { request in Task { try await pipeline.image(for: request) } }
    for request in requests {
      guard let url = request.source.url else { continue }
      try await loader.waitForRequests(url, count: 2)
    }
    let held = pipeline.statistics.heldBytes
    #expect(cache.lent.withLock { $0 } <= held)
    for task in tasks { task.cancel() }
    for task in tasks { _ = await task.result }
    await pipeline.settle()
  }

  /// A step that waits.
  private struct Waiting: ImageTransforming {
    let begun = Gate()
    let gate = Gate()
    var identity: String { "waiting" }
    func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      begun.open()
      gate.waitBlocking()
      return bitmap
    }
  }

  @Test("the pictures between two steps are reserved")
  func steps() async throws {
    let waiting = Waiting()
    let pipeline = LoadSamples.pipeline(LoaderGroup.standard)
    let data = try SampleImages.still(width: 100, height: 100)
    var request = ImageRequest(source: .data(data, id: "a"))
    request.transforms = .chain(TransformChain([.blur(sigma: 2), ImageTransform(waiting)]))
    let task = Task { [request] in try await pipeline.image(for: request).width }
    try await waiting.begun.wait()
    // What was decoded is let go of; what was made of it is there, and may wait for its next step behind any number.
    try await pipeline.until { $0.runningImageJobs == 2 }
    #expect(pipeline.statistics.heldBytes >= 40_000)
    waiting.gate.open()
    #expect(try await task.value == 100)
    await pipeline.settle()
  }

  @Test("a queue that is suspended while it waits for memory holds nobody else back")
  func suspended() async throws {
    let memory = ImagePipeline.Memory(byteLimit: 1_000)
    let queue = WorkQueue(limit: 4, memory: memory, now: { .zero })
    let held = try #require(memory.tryReserve(500, in: .decoded))
    let original = try #require(memory.tryReserve(10, in: .encoded))
    let big = Task {
      try await queue.enter(
        priority: LivePriority(.medium),
        WorkQueue.Claim(bytes: 700, held: WorkQueue.HeldBytes(10, of: memory)))
    }
    try await eventually { queue.statistics.waiting >= 1 }
    queue.isSuspended = true
    held.release()
    // Another pipeline: half of everything is free, and it may have a quarter in any case.
    let other = memory.tryReserve(10, in: .encoded)
    #expect(other != nil)
    big.cancel()
    _ = await big.result
    withExtendedLifetime(original) {}
  }

  @Test("two pipelines that share a memory do not wait for each other's encoded bytes for ever")
  func sharedDeadlock() async throws {
    let memory = ImagePipeline.Memory(byteLimit: 1_000)
    let queues = (0..<2).map { _ in WorkQueue(limit: 4, memory: memory, now: { .zero }) }
    let outcomes = Lock([String]())
    let originals = try queues.map { _ in try #require(memory.tryReserve(180, in: .encoded)) }
    for (queue, original) in zip(queues, originals) {
      let claim = WorkQueue.Claim(bytes: 700, held: WorkQueue.HeldBytes(180, of: original))
      queue.submit(queue.number(), claim, level: { 1 }) { answer in
        switch answer {
        case .turn(let turn):
          turn.end()
          turn.reservation?.release()
          outcomes.withLock { $0.append("turn") }
        case .refused(is MemoryDeadlock): outcomes.withLock { $0.append("refused") }
        default: outcomes.withLock { $0.append("other") }
        }
        original.release()
      }
    }
    try await eventually { outcomes.withLock { $0.count == 2 } }
    withExtendedLifetime(queues) {}
    #expect(outcomes.withLock { $0 } == ["refused", "turn"])
    #expect(memory.statistics.bytes == 0)
  }

  @Test(
    "bytes that nobody gives back hold up no image for ever: one that needs them is refused, a body goes to a file"
  )
  func standstill() async throws {
    let memory = ImagePipeline.Memory(byteLimit: 8 << 20)
    let pipeline = LoadSamples.pipeline(LoaderGroup.standard) { $0.memory = memory }
    let held = try #require(memory.tryReserve(memory.ceiling(of: .encoded), in: .encoded))
    let large = ImageRequest(source: .data(try SampleImages.still(width: 1_200, height: 1_200), id: "large"))
    await #expect {
      try await pipeline.image(for: large)
    } throws: { error in
      guard case PipelineError.overloaded = error else { return false }
      return true
    }
    let loader = FakeLoader { _ in .body(try SampleImages.still(width: 100, height: 100)) }
    let other = LoadSamples.pipeline(loader) { $0.memory = memory }
    #expect(try await other.image(for: LoadSamples.url("h")).width == 100)
    held.release()
    #expect(try await pipeline.image(for: large).width == 1_200)
    for pipeline in [pipeline, other] { await pipeline.settle() }
    #expect(memory.statistics.bytes == 0)
  }

  @Test("an image that waits for pixels of others is patient")
  func noStandstill() async throws {
    let memory = ImagePipeline.Memory(byteLimit: 1_000)
    let queue = WorkQueue(limit: 4, memory: memory, now: { .zero })
    let pixels = try #require(memory.tryReserve(500, in: .decoded))
    let big = Task { try await queue.enter(priority: LivePriority(.medium), WorkQueue.Claim(bytes: 900)) }
    try await eventually { queue.statistics.waiting == 1 }
    for _ in 0..<3 { #expect(memory.resolveStandstill()) }
    #expect(queue.statistics.waiting == 1)
    pixels.release()
    let turn = try await big.value
    turn.end()
    turn.reservation?.release()
  }

  @Test("an image waits for a body that is arriving, however slowly")
  func arrivingIsNoStandstill() async throws {
    let memory = ImagePipeline.Memory(byteLimit: 1_000)
    let body = LoadMemory(memory, loads: 32)
    #expect(body.grow(to: 300))
    let queue = WorkQueue(limit: 4, memory: memory, now: { .zero })
    let big = Task { try await queue.enter(priority: LivePriority(.medium), WorkQueue.Claim(bytes: 900)) }
    try await eventually { queue.statistics.waiting == 1 }
    for _ in 0..<3 { #expect(memory.resolveStandstill()) }
    #expect(queue.statistics.waiting == 1)
    body.giveBack()
    let turn = try await big.value
    turn.end()
    turn.reservation?.release()
  }

  @Test("a big picture is not overtaken for ever by those of another pipeline that shares the memory")
  func sharedStarvation() throws {
    let memory = ImagePipeline.Memory(byteLimit: 1_000)
    let (patient, busy) = (
      WorkQueue(limit: 4, memory: memory, now: { .zero }), WorkQueue(limit: 4, memory: memory, now: { .zero })
    )
    let turns = Lock([WorkQueue.Turn]())
    let hasBegun = Lock(false)
    func enter() {
      busy.submit(busy.number(), WorkQueue.Claim(bytes: 200), level: { 1 }) { answer in
        if case .turn(let turn) = answer { turns.withLock { $0.append(turn) } }
      }
    }
    enter()
    patient.submit(patient.number(), WorkQueue.Claim(bytes: 900), level: { 1 }) { answer in
      if case .turn = answer { hasBegun.withLock { $0 = true } }
    }
    for _ in 0..<1_000 where !hasBegun.withLock({ $0 }) {
      enter()
      let first = turns.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      first?.end()
      first?.reservation?.release()
    }
    #expect(hasBegun.withLock { $0 })
    for turn in turns.withLock({ $0 }) {
      turn.end()
      turn.reservation?.release()
    }
  }

  @Test("nothing is kept that must give way while somebody waits for the room")
  func keptDuringAShortage() async throws {
    let memory = ImagePipeline.Memory(byteLimit: 1_000)
    let stale = try #require(memory.tryReserve(150, in: .encoded))
    let queue = WorkQueue(limit: 4, memory: memory, now: { .zero })
    let big = Task { try await queue.enter(priority: LivePriority(.medium), WorkQueue.Claim(bytes: 900)) }
    try await eventually { queue.statistics.waiting >= 1 }
    // All have given way by now; nobody would ask this one again.
    #expect(!stale.move(to: .arriving))
    stale.release()
    let turn = try await big.value
    turn.end()
    turn.reservation?.release()
  }

  @Test("one turn in eight goes to the oldest, however searches and turns alternate", arguments: 0..<8)
  func turnOfTheOldest(offset: Int) {
    let queue = WorkQueue(limit: 32, limitPerFlow: 1, now: { .zero })
    let flow = QueueFlow(partition: "one origin")
    let (turns, hasBegun) = (Lock([WorkQueue.Turn]()), Lock(false))
    func enter(_ level: UInt8, _ begun: @escaping @Sendable () -> Void = {}) {
      let id = queue.number()
      queue.submit(id, WorkQueue.Claim(flow: flow), level: { level }) { answer in
        guard case .turn(let turn) = answer else { return }
        begun()
        turns.withLock { $0.append(turn) }
      }
      // As the pipeline does: what changed before it was in the queue.
      queue.move(id, to: level)
    }
    enter(25)
    enter(5) { hasBegun.withLock { $0 = true } }
    for _ in 0..<offset { queue.move(0, to: 1) }
    for _ in 0..<64 {
      enter(25)
      turns.withLock { $0.removeFirst() }.end()
    }
    #expect(hasBegun.withLock { $0 })
    while let turn = turns.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { turn.end() }
  }

  @Test("originals that wait for a disk that stalls take no room from those that are loaded")
  func stalledOriginals() async throws {
    let png = try LoadSamples.noise(200, 200)
    let cache = FaultyCache()
    let gate = Gate()
    cache.hold(.store, at: gate)
    // A quarter of it is twenty of them, and next to nothing.
    let memory = ImagePipeline.Memory(byteLimit: 4 * (20 * png.count + 1_000))
    let loader = FakeLoader { _ in .body(png, headers: [.cacheControl: "max-age=1000"]) }
    let pipeline = LoadSamples.pipeline(loader) { configuration in
      configuration.diskCache = cache
      configuration.memory = memory
    }
    for index in 0..<60 {
      #expect(try await pipeline.image(for: LoadSamples.url("h", "\(index)")).width == 200)
    }
    gate.open()
    await pipeline.settle()
  }

  /// Encodes when a gate opens.
  private struct SlowEncoder: ImageEncoding {
    let begun = Lock(0)
    let gate = Gate()
    var format: ImageFormat { ImageFormat(rawValue: "slow") }
    func encode(_ image: Image, options: EncodeOptions) throws(ImagingError) -> Data {
      begun.withLock { $0 += 1 }
      gate.waitBlocking()
      return Data([1])
    }
  }

  @Test("results that are encoded for the disk keep no decode from its thread")
  func storesTakeNoThreads() async throws {
    let encoder = SlowEncoder()
    let png = try LoadSamples.noise(600, 600)
    let loader = FakeLoader { _ in .body(png, headers: [.cacheControl: "max-age=1000"]) }
    let pipeline = LoadSamples.pipeline(loader) { configuration in
      configuration.diskCache = FaultyCache()
      configuration.coders.register(encoder)
      var encoding = EncodeOptions.png
      encoding.format = encoder.format
      configuration.resultEncoding = encoding
      // As on a machine with two processors and the defaults, where there are two of each.
      configuration.limits.decodes = 2
      configuration.limits.transforms = 2
      configuration.limits.encodes = 2
      configuration.limits.stores = 2
    }
    for index in 0..<4 {
      let request = try ImageRequest(
        url: LoadSamples.url("h", "\(index)"), thumbnail: .fit(width: 300, height: 300))
      #expect(try await pipeline.image(for: request).width == 300)
      // Both of the first are at it.
      if index == 1 { try await eventually { encoder.begun.withLock({ $0 }) >= 2 } }
    }
    encoder.gate.open()
    await pipeline.settle()
  }

  /// As a cache on disk: what is cancelled removes nothing, and may store all the same.
  private final class LateCache: DataCaching {
    let inner = FaultyCache()
    let (begun, gate) = (Gate(), Gate())

    func read(_ key: CacheKey) async throws(CachingError) -> CacheRecord? { try await inner.read(key) }
    func store(_ data: Data, metadata: RecordMetadata, for key: CacheKey) async throws(CachingError) {
      begun.open()
      _ = await Task { [gate] in try? await gate.wait() }.value
      _ = await Task { [inner] in try? await inner.store(data, metadata: metadata, for: key) }.value
      if Task.isCancelled { throw .cancelled }
    }
    func contains(_ key: CacheKey) async throws(CachingError) -> Bool { try await inner.contains(key) }
    func remove(_ key: CacheKey) async throws(CachingError) -> Bool {
      if Task.isCancelled { throw .cancelled }
      return try await inner.remove(key)
    }
    func removeAll(_ selection: CacheSelection) async throws(CachingError) -> Int {
      try await inner.removeAll(selection)
    }
    func removeAll() async throws(CachingError) -> Int { try await inner.removeAll() }
    func flush() async throws(CachingError) { try await inner.flush() }
  }

  @Test("what was purged does not come back when the pipeline is shut down meanwhile")
  func purgeAndShutDown() async throws {
    let cache = LateCache()
    let png = try SampleImages.still()
    let loader = FakeLoader { _ in .body(png, headers: [.cacheControl: "max-age=1000"]) }
    let pipeline = LoadSamples.pipeline(loader) { $0.diskCache = cache }
    _ = try await pipeline.image(for: LoadSamples.url("h"))
    try await cache.begun.wait()
    try await pipeline.cache.removeAll()
    await pipeline.invalidate()
    cache.gate.open()
    await pipeline.shutDown(within: .zero)
    #expect(cache.inner.keys.isEmpty)
  }
}
