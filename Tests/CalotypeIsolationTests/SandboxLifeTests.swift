import CalotypeImaging
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

@testable import CalotypeIsolation

@Suite("The life of a sandbox")
struct SandboxLifeTests {
  static func photo(width: Int, height: Int) throws -> Data {
    let bitmap = try Bitmap(size: PixelSize(width: width, height: height)) { pixels in
      for index in pixels.indices {
        pixels[index] = index & 3 == 3 ? 255 : UInt8(truncatingIfNeeded: index >> 8)
      }
      return true
    }
    return try CoderRegistry.standard.encode(Image(bitmap: bitmap), as: .jpeg(quality: 60))
  }

  @Test("a picture larger than shared memory comes whole, and the next small one too")
  func large() throws {
    let sandbox = Sandboxes.service()
    let coders = Sandboxes.registry(sandbox)
    let data = try Self.photo(width: 5000, height: 4200)
    let there = try coders.decode(data)
    #expect(there.bitmap.byteCount > SandboxProcess.outputSize)
    #expect(there.bitmap == (try CoderRegistry.standard.decode(data)).bitmap)
    let small = try Self.photo(width: 50, height: 40)
    #expect(try coders.decode(small).bitmap == CoderRegistry.standard.decode(small).bitmap)
    #expect(sandbox.statistics.starts == 1)
  }

  @Test("workers that serve one image are replaced after each")
  func one() throws {
    let sandbox = Sandboxes.service { $0.reuse = .one }
    let coders = Sandboxes.registry(sandbox)
    let data = try Self.photo(width: 64, height: 64)
    for _ in 0..<3 { _ = try coders.decode(data) }
    #expect(sandbox.statistics.starts >= 3)
    #expect(sandbox.statistics.crashes == 0)
  }

  @Test("an animation goes on in another worker when its own has died")
  func replay() throws {
    let sandbox = Sandboxes.service()
    let coders = Sandboxes.registry(sandbox)
    let file = try #require(
      EqualityTests.files.first { $0.name.hasSuffix("gif") && Self.isAnimation($0.data) })
    let here = try AnimatedImage(data: file.data)
    let there = try AnimatedImage(data: file.data, coders: coders)
    #expect(try there.frame(at: 0).bitmap == here.frame(at: 0).bitmap)
    if !Sanitizer.isOn { #expect(Sandboxes.error(.abort, sandbox)?.code == "decoderCrashed") }
    #expect(try there.frame(at: 1).bitmap == here.frame(at: 1).bitmap)
    let stream = coders.makeIncrementalDecoder()
    let half = file.data.count / 2
    try stream.append(file.data.prefix(half))
    if !Sanitizer.isOn { #expect(Sandboxes.error(.writeToNull, sandbox)?.code == "decoderCrashed") }
    try stream.append(file.data.dropFirst(half))
    #expect(try stream.finish().bitmap == CoderRegistry.standard.decode(file.data).bitmap)
  }

  private static func isAnimation(_ data: Data) -> Bool {
    ((try? AnimatedImage(data: data))?.frameCount ?? 1) > 1
  }

  @Test("more sessions than a worker holds: the oldest are made again")
  func manySessions() throws {
    let sandbox = Sandboxes.service()
    let coders = Sandboxes.registry(sandbox)
    let file = try #require(
      EqualityTests.files.first { $0.name.hasSuffix("gif") && Self.isAnimation($0.data) })
    let frame = try AnimatedImage(data: file.data).frame(at: 1).bitmap
    let animations = try (0..<40).map { _ in try AnimatedImage(data: file.data, coders: coders) }
    for animation in animations + animations { #expect(try animation.frame(at: 1).bitmap == frame) }
    #expect(sandbox.statistics.starts == 1)
  }

  @Test("without the means, decodes fail, or are made here if the configuration says so")
  func unavailable() throws {
    let data = try Self.photo(width: 32, height: 32)
    for whenUnavailable in [SandboxConfiguration.Unavailability.fail, .decodeHere] {
      let sandbox = Sandboxes.service {
        $0.executable = .path("/nowhere/decoder")
        $0.whenUnavailable = whenUnavailable
      }
      let coders = Sandboxes.registry(sandbox)
      if whenUnavailable == .decodeHere {
        #expect(try coders.decode(data).bitmap == CoderRegistry.standard.decode(data).bitmap)
        #expect(sandbox.statistics.decodedHere == 1)
      } else {
        let error = #expect(throws: ImagingError.self) { try coders.decode(data) }
        #expect(error?.code == "sandboxUnavailable")
        #expect(error?.isRetryable == false, "it never will be there")
      }
      #expect(sandbox.statistics.unavailability?.contains("/nowhere/decoder") == true)
    }
  }

  @Test("a program that is no worker is not taken for one")
  func wrongProgram() throws {
    let sandbox = Sandboxes.service { $0.executable = .path("/bin/true") }
    let error = #expect(throws: ImagingError.self) {
      try Sandboxes.registry(sandbox).decode(Self.photo(width: 32, height: 32))
    }
    #expect(error?.code == "sandboxUnavailable")
  }

  @Test(
    "without a filter of system calls there is no sandbox; without Landlock there is",
    .enabled(if: !Sanitizer.isOn))
  func barriers() throws {
    let data = try Self.photo(width: 32, height: 32)
    let withoutLandlock = Sandboxes.service { $0.test.withoutLandlock = true }
    _ = try Sandboxes.registry(withoutLandlock).decode(data)
    #expect(withoutLandlock.statistics.posture?.landlockABI == 0)
    #expect(withoutLandlock.statistics.posture?.hasSeccomp == true)
    #expect(Sandboxes.error(.openFile, withoutLandlock)?.code == "sandboxViolation")
    let withoutFilter = Sandboxes.service { $0.test.withoutSeccomp = true }
    let error = #expect(throws: ImagingError.self) { try Sandboxes.registry(withoutFilter).decode(data) }
    #expect(error?.code == "sandboxUnavailable" && error?.isRetryable == false)
  }

  @Test("a worker that is stopped counts as one that takes too long", .enabled(if: !Sanitizer.isOn))
  func stopped() throws {
    let sandbox = Sandboxes.service { $0.deadline = .milliseconds(300) }
    #expect(Sandboxes.error(.none, sandbox) == nil)
    let worker = try sandbox.pool.take(for: nil, until: .distantFuture)
    kill(worker.pid, SIGSTOP)
    sandbox.pool.giveBack(worker)
    #expect(Sandboxes.error(.none, sandbox)?.code == "limitExceeded")
    #expect(Sandboxes.error(.none, sandbox) == nil)
  }

  @Test("an idle worker that is killed by others costs no image", .enabled(if: !Sanitizer.isOn))
  func lost() throws {
    let sandbox = Sandboxes.service()
    let coders = Sandboxes.registry(sandbox)
    let data = try Self.photo(width: 32, height: 32)
    for _ in 0..<3 {
      _ = try coders.decode(data)
      let worker = try sandbox.pool.take(for: nil, until: .distantFuture)
      kill(worker.pid, SIGKILL)
      sandbox.pool.giveBack(worker)
      _ = try coders.decode(data)
    }
    #expect(sandbox.statistics.crashes == 0 && sandbox.statistics.quarantined == 0)
  }

  @Test("slow images delay no others, however many there are", .enabled(if: !Sanitizer.isOn))
  func slow() throws {
    let sandbox = Sandboxes.service {
      $0.deadline = .milliseconds(50)
      $0.restart = SandboxConfiguration.Restart(deathsPerMinute: 2, delay: .seconds(30))
    }
    for _ in 0..<8 { #expect(Sandboxes.error(.spin, sandbox)?.code == "limitExceeded") }
    #expect(Sandboxes.error(.none, sandbox) == nil)
  }

  @Test("sessions that end while their worker is busy are closed")
  func endedSessions() throws {
    let sandbox = Sandboxes.service()
    var stream: IncrementalDecoder? = Sandboxes.registry(sandbox).makeIncrementalDecoder()
    try stream?.append(Self.photo(width: 32, height: 32).prefix(100))
    let worker = try sandbox.pool.take(for: nil, until: .distantFuture)
    #expect(worker.sessions.count == 1)
    stream = nil
    sandbox.pool.giveBack(worker)
    #expect(worker.sessions.isEmpty && worker.endedSessions.count == 1)
    #expect(Sandboxes.error(.none, sandbox) == nil)
    #expect(worker.endedSessions.isEmpty)
    #expect(sandbox.statistics.starts == 1)
  }

  @Test("where each image has a worker of its own, a session has one, too")
  func sessionOfOne() throws {
    let sandbox = Sandboxes.service(workers: 2) { $0.reuse = .one }
    let coders = Sandboxes.registry(sandbox)
    let data = try Self.photo(width: 32, height: 32)
    let stream = coders.makeIncrementalDecoder()
    try stream.append(data.prefix(100))
    let number = try #require(sandbox.pool.numbersWithSessions.first)
    for _ in 0..<3 { _ = try coders.decode(data) }
    let worker = try #require(sandbox.pool.takeIdle(number: number))
    #expect(worker.served == 1)
    sandbox.pool.giveBack(worker)
    try stream.append(data.dropFirst(100))
    #expect(try stream.finish().bitmap == CoderRegistry.standard.decode(data).bitmap)
  }

  @Test("durations that would overflow are no description")
  func durations() throws {
    for (duration, isSound) in [(Duration.seconds(Int64.max), false), (.seconds(1 << 32), true)] {
      var info = ImageInfo(format: .gif, size: PixelSize(width: 1, height: 1))
      (info.frameCount, info.durations) = (2, [duration, duration])
      var writer = WireWriter()
      writer.write(info)
      var reader = WireReader(writer.bytes)
      let read = try? reader.info(within: .default)
      #expect((read == info) == isSound)
    }
  }

  @Test("a cancelled task ends its decode at once", .enabled(if: !Sanitizer.isOn))
  func cancellation() async throws {
    let sandbox = Sandboxes.service()
    let workers = WorkerExecutor(name: "sandbox-test", threads: 1)
    #expect(Sandboxes.error(.none, sandbox) == nil)
    let task = Task { try await workers.run { Sandboxes.error(.spin, sandbox) } }
    try await eventually {
      let idle = sandbox.pool.takeIdle(number: 0)
      if let idle { sandbox.pool.giveBack(idle) }
      return idle == nil
    }
    let start = ContinuousClock.now
    task.cancel()
    let error = try? await task.value
    #expect(error == nil || error == .cancelled)
    #expect(ContinuousClock.now - start < .seconds(5))
    #expect(Sandboxes.error(.none, sandbox) == nil)
  }

  @Test("after many deaths decodes fail, and say when to try again", .enabled(if: !Sanitizer.isOn))
  func refusal() throws {
    let sandbox = Sandboxes.service {
      $0.workers = 1
      $0.deadline = .seconds(5)
      $0.restart = .init(deathsPerMinute: 1, delay: .seconds(30), longestDelay: .seconds(30))
    }
    for _ in 0..<2 {
      let error = Sandboxes.error(.trap, sandbox)
      #expect(error?.code == "decoderCrashed", "\(String(describing: error))")
    }
    let refusal = Sandboxes.error(.none, sandbox)
    let retryAfter = try #require(refusal?.retryAfter)
    #expect(refusal?.isRetryable == true && retryAfter > .seconds(20) && retryAfter <= .seconds(30))
    #expect(refusal?.description.contains("try again in") == true)
  }

  @Test("after many deaths new workers wait")
  func throttle() {
    var rule = SandboxConfiguration.Restart(deathsPerMinute: 2, delay: .seconds(1), longestDelay: .seconds(5))
    rule.deathsPerMinute = 2
    var throttle = RestartThrottle(rule)
    let start = MonotonicTime(nanoseconds: 1_000_000_000_000)
    #expect(throttle.earliestStart(now: start) == start)
    for _ in 0..<2 { throttle.noteDeath(at: start) }
    #expect(throttle.earliestStart(now: start) == start)
    for delay in [1, 2, 4, 5, 5] {
      throttle.noteDeath(at: start)
      #expect(throttle.earliestStart(now: start) == start.advanced(by: .seconds(delay)))
    }
    let later = start.advanced(by: .seconds(61))
    #expect(throttle.earliestStart(now: later) == later)
  }

  @Test("the quarantine is bounded, forgets, and compares contents")
  func quarantine() {
    var quarantine = Quarantine()
    let start = MonotonicTime(nanoseconds: 1_000_000_000_000)
    let error = ImagingError.decoderCrashed(.jpeg, signal: 11)
    for index in 0..<2000 {
      quarantine.add(
        [UInt8(index & 255), UInt8(index >> 8)], byteCount: 10 + index % 3, error: error, now: start)
    }
    #expect(quarantine.count == Quarantine.capacity)
    let last = [UInt8(1999 & 255), UInt8(1999 >> 8)]
    #expect(quarantine.error(for: last, byteCount: 10 + 1999 % 3, now: start) == error)
    #expect(quarantine.error(for: last, byteCount: 10 + 2000 % 3, now: start) == nil)
    #expect(quarantine.error(for: [0, 0], byteCount: 10, now: start) == nil)
    let later = start.advanced(by: .seconds(601))
    #expect(quarantine.error(for: last, byteCount: 10 + 1999 % 3, now: later) == nil)
  }

  @Test("every option and limit reaches the worker")
  func options() throws {
    let limits = DecodeLimits(
      maxPixels: 1, maxSide: 2, maxFrames: 3, maxBytes: 4, maxScans: 5, maxTotalPixels: 6, maxChunkBytes: 7,
      maxItems: 8, maxTextBytes: 9, maxPages: 10, maxMemoryBytes: 11, maxExpansion: 12,
      maxDuration: .milliseconds(13))
    var options = DecodeOptions(
      limits: limits, appliesOrientation: false, allowsPartial: true, damage: .strict,
      thumbnail: Thumbnail(
        box: PixelSize(width: 14, height: 15), mode: .fill, anchor: .focus(x: 0.25, y: 0.5),
        filter: .mitchell,
        effort: .fast, linearLight: true),
      maxPixels: 16, page: 17, pixels: .native, colors: .asStored, toneMapping: .none, formatHint: .webp,
      readsMetadata: true, extras: ["a": "b", "c": "d"])
    for size in [VectorSize.scale(1.5), .box(PixelSize(width: 18, height: 0))] {
      options.vectorSize = size
      let request = SandboxRequest(
        id: 19, body: .openStream(session: 20, options), inputCount: 21, outputCapacity: 22,
        clearsBuffers: true)
      let read = try SandboxRequest(request.bytes)
      guard case .openStream(20, let found) = read.body else {
        Issue.record("another job")
        return
      }
      #expect(found == options)
      #expect(read.id == 19 && read.inputCount == 21 && read.outputCapacity == 22 && read.clearsBuffers)
      // Each byte matters: what is cut off or too much is no message.
      #expect(throws: WireError.self) { try SandboxRequest(Array(request.bytes.dropLast())) }
      #expect(throws: WireError.self) { try SandboxRequest(request.bytes + [0]) }
    }
  }
}
