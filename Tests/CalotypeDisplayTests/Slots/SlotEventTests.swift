@testable import CalotypeDisplay
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import PipelineSamples
import Testing

@testable import Calotype

/// What comes before the image, who shows it, and how.
@Suite("News of a slot", .timeLimit(.minutes(5)))
struct SlotEventTests {
  private let stage = SlotStage()

  @Test("previews replace the placeholder if the request asks for them; the image replaces them")
  func previews() async throws {
    let jpeg = try SampleImages.progressiveJPEG(width: 256, height: 256)
    let (arrived, gate) = (Gate(), Gate())
    let half = jpeg.count * 3 / 4
    stage.loader.route(
      SlotStage.url("a"),
      FakeReply([
        .bytes(jpeg.prefix(half)), .signal(arrived), .wait(gate), .bytes(jpeg.dropFirst(half)),
      ]))
    var request = ImageRequest(url: SlotStage.url("a"))
    request.previews = .everyPass
    let slot = ImageSlot(stage.pipeline)
    let load = slot.load(request, placeholder: .image(try SlotStage.picture(9)))
    try await arrived.wait()
    // A transfer that takes for ever.
    while true {
      if case .preview(let preview) = slot.state.content {
        #expect(preview.isPartial && preview.width == 256)
        break
      }
      stage.clock.advance(by: .seconds(1))
      await Task.yield()
    }
    #expect(slot.state.transition == .none && slot.state.phase == .loading)
    #expect(slot.state.progress.fraction.map { $0 < 1 } == true)
    gate.open()
    _ = try await load.value
    guard case .image(let response) = slot.state.content else {
      Issue.record("\(slot.state.content)")
      return
    }
    #expect(!response.image.isPartial && slot.state.transition == .fade(.milliseconds(500)))
    try await stage.expectNothingLeft()
  }

  @Test("a stale image first; then that it is right, a new one, or that there is none to be had")
  func stale() async throws {
    let folder = try CacheFolder()
    let stage = SlotStage(disk: folder.diskCache(), memory: false)
    let (shade, isDown, answer) = (Shade(), Lock(false), Lock<Gate?>(nil))
    stage.loader.route(SlotStage.url("a")) { _ in
      try await answer.withLock({ $0 })?.wait()
      if isDown.withLock({ $0 }) { return .status(500) }
      let headers: HTTPFields = [.eTag: "\"\(shade.value)\"", .cacheControl: "max-age=0"]
      return .body(try Samples.png(shade: shade.value), headers: headers)
    }
    var request = ImageRequest(url: SlotStage.url("a"), thumbnail: .fit(width: 4, height: 4))
    _ = try await stage.pipeline.image(for: request)
    await stage.pipeline.settle()
    request.cachePolicy = .staleWhileRevalidate
    let slot = ImageSlot(stage.pipeline)
    /// The stale image, and then what the server says.
    func refresh(from before: String) async throws -> ImageResponse? {
      let gate = Gate()
      answer.withLock { $0 = gate }
      let load = slot.load(request)
      let state = try await slot.first { $0.content.text == before }
      #expect(state.phase == .loading && state.error == nil)
      gate.open()
      let response = try await load.value
      await stage.pipeline.settle()
      #expect(slot.state.phase == .succeeded && slot.state.progress.fraction == 1)
      return response
    }

    #expect(try await refresh(from: "stale 1")?.isStale == false)
    #expect(slot.shown == "image 1" && slot.state.error == nil)
    // Nothing was to be drawn again when the server confirmed it.
    #expect(slot.state.contentVersion == 1 && slot.state.transition == .fade(.milliseconds(500)))
    shade.value = 2
    #expect(try await refresh(from: "stale 1")?.image.shade == 2)
    #expect(slot.shown == "image 2" && slot.state.transition == .fade(.milliseconds(500)))
    isDown.withLock { $0 = true }
    #expect(try await refresh(from: "stale 2")?.isStale == true)
    #expect(slot.shown == "stale 2" && (slot.state.error as? LoadingError)?.code == "httpStatus")
    try await stage.expectNothingLeft()
  }

  @Test("previews do not replace a stale image, which is finer")
  func previewAfterStale() throws {
    var books = SlotStateMachine()
    let load = SlotLoad(ImageSlot.Options())
    let request = ImageRequest(url: SlotStage.url("a"))
    _ = books.begin(load, for: SlotTarget(request: request), found: nil, placeholder: [.nothing])
    let response = ImageResponse(
      image: try SlotStage.picture(1), source: .disk, byteCount: nil, duration: .zero, isStale: true
    )
    #expect(books.stale(response, of: load).isDone)
    #expect(!books.preview(try SlotStage.picture(2), of: load).isDone)
    #expect(books.state.content.text == "stale 1")
  }

  @Test("what is confirmed does not pass for the previous picture, and keeps its transition")
  func confirmedOffer() throws {
    var books = SlotStateMachine()
    var options = ImageSlot.Options()
    let request = SlotTarget(request: ImageRequest(url: SlotStage.url("a")))
    func response(_ shade: UInt8) throws -> ImageResponse {
      ImageResponse(
        image: try SlotStage.picture(shade), source: .disk, byteCount: nil, duration: .zero)
    }
    let first = SlotLoad(options)
    _ = books.begin(first, for: request, found: nil, placeholder: [])
    _ = books.stale(try response(1), of: first)
    options.delivery = .manual
    let second = SlotLoad(options)
    _ = books.begin(second, for: request, found: nil, placeholder: [.previous])
    _ = books.stale(try response(2), of: second)
    let effects = books.confirm(second, with: try response(2))
    #expect(effects.endings.count == 1 && books.state.phase == .succeeded)
    #expect(books.state.content.text == "stale 1" && books.state.arrived?.text == "image 2")
    #expect(books.deliver().isDone)
    #expect(
      books.state.content.text == "image 2" && books.state.transition == .fade(.milliseconds(500)))
  }

  @Test("with manual delivery, what has arrived is offered, and shown when the owner says so")
  func manual() async throws {
    var options = ImageSlot.Options()
    options.delivery = .manual
    options.placeholder = .image(try SlotStage.picture(9))
    let slot = ImageSlot(stage.pipeline, options: options)
    #expect(!slot.deliver())
    let request = try stage.request("a", shade: 1)
    #expect(try await slot.loaded(request).image.shade == 1)
    #expect(slot.shown == "placeholder 9" && slot.state.arrived?.text == "image 1")
    #expect(slot.state.phase == .succeeded && slot.state.progress.fraction == 1)
    #expect(slot.deliver())
    #expect(slot.shown == "image 1" && slot.state.arrived == nil)
    #expect(slot.state.transition == .fade(.milliseconds(500)))
    #expect(!slot.deliver())
    // From memory, too.
    slot.load(request)
    #expect(slot.shown == "placeholder 9" && slot.state.arrived?.text == "image 1")
    // What was offered goes with its load, and by cancelling.
    slot.load(stage.hanging("b"))
    #expect(slot.state.arrived == nil && !slot.deliver() && slot.shown == "placeholder 9")
    slot.load(request)
    slot.cancel()
    #expect(slot.state.arrived == nil && !slot.deliver() && slot.state.phase == .succeeded)
    await #expect(throws: LoadingError.self) { try await slot.loaded(stage.failing("none")) }
    #expect(slot.shown == "placeholder 9" && slot.state.arrived == nil)
    try await stage.expectNothingLeft()
  }

  @Test(
    "transitions: never, always, or for what had to be waited for",
    arguments: [ImageSlot.TransitionPolicy.never, .whenWaitedFor, .always])
  func transitions(_ policy: ImageSlot.TransitionPolicy) async throws {
    var options = ImageSlot.Options()
    options.transitions = policy
    options.transitionDuration = .seconds(2)
    options.placeholder = .image(try SlotStage.picture(9))
    let slot = ImageSlot(stage.pipeline, options: options)
    let request = try stage.request("a", shade: 1)
    _ = try await slot.loaded(request)
    #expect(slot.state.transition == (policy == .never ? .none : .fade(.seconds(2))))
    slot.load(request)
    #expect(slot.state.transition == (policy == .always ? .fade(.seconds(2)) : .none))
    slot.showPlaceholder()
    #expect(slot.state.transition == .none)
    try await stage.expectNothingLeft()
  }

  @Test("what comes from memory after all does not fade in: somebody else may have loaded it meanwhile")
  func memoryTransition() throws {
    func transition(_ tell: (inout SlotStateMachine, SlotLoad, ImageResponse) -> Void) throws -> [ImageSlot
      .Transition]
    {
      try [ImageResponse.Source.memory, .disk, .diskOriginal, .loader].map { source in
        var books = SlotStateMachine()
        let load = SlotLoad(ImageSlot.Options())
        let target = SlotTarget(request: ImageRequest(url: SlotStage.url("a")))
        _ = books.begin(load, for: target, found: nil, placeholder: [])
        let image = try SlotStage.picture(1)
        tell(&books, load, ImageResponse(image: image, source: source, byteCount: nil, duration: .zero))
        #expect(books.state.image?.shade == 1)
        return books.state.transition
      }
    }
    let fade = ImageSlot.Transition.fade(.milliseconds(500))
    #expect(try transition { _ = $0.succeed($1, with: $2) } == [.none, fade, fade, fade])
    #expect(try transition { _ = $0.stale($2, of: $1) } == [.none, fade, fade, fade])
  }

  @Test("what had to be read from disk had to be waited for")
  func diskTransition() async throws {
    let folder = try CacheFolder()
    let stage = SlotStage(disk: folder.diskCache(), memory: false)
    var request = try stage.request("a", shade: 1)
    request.cachePolicy = .ignoreHTTPFreshness
    _ = try await stage.pipeline.image(for: request)
    await stage.pipeline.settle()
    let slot = ImageSlot(stage.pipeline)
    #expect(try await slot.loaded(request).source != .loader)
    #expect(slot.state.transition == .fade(.milliseconds(500)) && slot.state.progress.fraction == 1)
    try await stage.expectNothingLeft()
  }

  @Test(
    "progress rises with the bytes and ends at 1, whether the length is known or not",
    arguments: [true, false])
  func progress(isKnown: Bool) async throws {
    let png = try Samples.png(width: 64, height: 64)
    let (arrived, gate) = (Gate(), Gate())
    var reply = FakeReply([
      .bytes(png.prefix(50)), .signal(arrived), .wait(gate), .bytes(png.dropFirst(50)),
    ])
    if !isKnown { reply.expectedLength = nil }
    stage.loader.route(SlotStage.url("a"), reply)
    let slot = ImageSlot(stage.pipeline)
    let load = slot.load(ImageRequest(url: SlotStage.url("a")))
    #expect(slot.state.progress == ImageSlot.Progress())
    let midway = try await slot.first { $0.progress.received == 50 }
    #expect(midway.progress.expected == (isKnown ? png.count : nil))
    #expect(midway.progress.fraction == (isKnown ? 50 / Double(png.count) : nil))
    gate.open()
    _ = try await load.value
    #expect(slot.state.progress.fraction == 1 && slot.state.progress.isFinished)
    // Not if there is no image.
    await #expect(throws: LoadingError.self) { try await slot.loaded(stage.failing("none")) }
    #expect(slot.state.progress.fraction != 1)
    try await stage.expectNothingLeft()
  }

  @Test("observers begin with the present state, see the newest, and are independent of each other")
  func observers() async throws {
    let slot = ImageSlot(stage.pipeline)
    let states = slot.states
    var slow = states.makeAsyncIterator()
    #expect(await slow.next()?.content.text == "nothing")
    for shade in 1...5 as ClosedRange<UInt8> { slot.show(try SlotStage.picture(shade)) }
    var late = states.makeAsyncIterator()
    #expect(await late.next()?.content.text == "given 5")
    #expect(await slow.next()?.content.text == "given 5")
    // Nothing is told twice, and giving one observer up is nothing to the others.
    let isDone = Lock(false)
    let waiting = Task { () -> String? in
      var iterator = slot.states.makeAsyncIterator()
      _ = await iterator.next()
      defer { isDone.withLock { $0 = true } }
      return await iterator.next()?.content.text
    }
    let given = Task { () -> String? in
      var iterator = slot.states.makeAsyncIterator()
      _ = await iterator.next()
      return await iterator.next()?.content.text
    }
    given.cancel()
    #expect(await given.value == nil)
    // The one that waits may not have seen the present state yet.
    while !isDone.withLock({ $0 }) {
      slot.show(try SlotStage.picture(6))
      await Task.yield()
    }
    #expect(await waiting.value == "given 6")
  }
}
