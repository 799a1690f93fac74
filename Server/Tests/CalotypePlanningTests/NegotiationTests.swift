import CalotypeImaging
import CalotypePlanning
import CalotypeURLs
import Testing

/// The formats of results, and the header fields that they depend on.
@Suite("Negotiation")
struct NegotiationTests {
  @Test(arguments: [
    ("image/webp", "image/webp", true, 1000), ("image/webp;q=0", "image/webp", false, 0),
    ("image/*;q=0.3", "image/webp", false, 300), ("*/*;q=0.3, image/*;q=0.2", "image/webp", false, 200),
    ("image/webp;q=0.1, image/*", "image/webp", true, 100), ("text/html", "image/webp", false, 0),
    ("", "image/webp", false, 1000), (" IMAGE/WEBP ; level=1 ; Q=0.25 ", "image/webp", true, 250),
    ("image/webp;q=1.000", "image/webp", true, 1000), ("image/webp;q=1.5", "image/webp", true, 1000),
    ("image/webp;q=0.1234", "image/webp", true, 1000), ("*/webp", "image/webp", false, 1000),
    ("image/webp/x", "image/webp", false, 1000), (",,image/webp,,", "image/webp", true, 1000),
    ("a/b;x=\"\\\",image/webp\"", "image/webp", false, 0),
  ])
  func headersAreRead(_ value: String, _ type: String, _ isNamed: Bool, _ weight: Int) {
    let accept = AcceptHeader(value)
    #expect(accept.names(type) == isNamed)
    #expect(accept.weight(of: type) == weight)
  }

  private func format(_ text: String, accept: String, _ change: (inout PlanningPolicy) -> Void) throws
    -> RenderPlan
  {
    var policy = PlanningPolicy()
    change(&policy)
    let info = ImageInfo(format: .jpeg, size: Samples.size(200, 100))
    return try Samples.plan(text, of: info, policy: policy, accept: accept)
  }

  @Test(arguments: [
    ("", "image/avif,image/webp,*/*", RequestedFormat.avif), ("", "image/webp,*/*", .webp),
    ("", "*/*", .jpeg),
    // The client likes the format better that it gets otherwise.
    ("", "image/webp;q=0.5,*/*", .jpeg), ("", "image/webp;q=0.5,image/jpeg;q=0.5", .webp),
    ("f:png", "image/avif,image/webp", .png), ("", "image/avif;q=0.8,image/webp;q=0.9", .webp),
  ])
  func automaticFormats(_ text: String, _ accept: String, _ expected: RequestedFormat) throws {
    let plan = try format(text, accept: accept) { $0.automaticFormats = [.webp, .avif] }
    #expect(plan.encode.format == expected)
    #expect(plan.varyingHeaders == (text.isEmpty ? ["Accept"] : []))
  }

  @Test func enforcedFormatsReplaceOthers() throws {
    let plan = try format("f:png", accept: "image/webp;q=0.1,*/*") { $0.enforcedFormats = [.webp] }
    #expect(plan.encode.format == .webp)
    #expect(plan.varyingHeaders == ["Accept"])
    // The answer is WebP for every client.
    #expect(try format("f:webp", accept: "") { $0.enforcedFormats = [.webp] }.varyingHeaders == [])
  }

  @Test func unwritableFormatsAreNotOffered() throws {
    let plan = try format("", accept: "image/avif,image/webp") {
      $0.automaticFormats = [.webp, .avif]
      $0.writableFormats.remove(.avif)
    }
    #expect(plan.encode.format == .webp)
    let error = #expect(throws: PlanningError.self) { _ = try format("f:heic", accept: "") { _ in } }
    #expect(error?.fault == .unwritableFormat)
    #expect(error?.status == 422)
    #expect(error?.description.contains("png") == true)
  }

  @Test func smallPicturesAreNoAVIF() throws {
    let plan = try format("w:20/f:avif", accept: "") { _ in }
    #expect(plan.encode.format == .jpeg)
    #expect(plan.notices == [.tooSmallForAVIF])
    #expect(plan.encode.quality == 80)
    #expect(try format("w:20/pd:1/f:avif", accept: "") { _ in }.encode.format == .png)
    #expect(try format("w:32/f:avif", accept: "") { _ in }.encode.format == .avif)
  }

  @Test(arguments: [
    ("", 80), ("q:50", 50), ("f:webp", 79), ("f:webp/fq:webp:30", 30), ("f:webp/fq:webp:30/q:20", 20),
    ("f:webp/q:0", 79), ("fq:webp:30", 80),
  ])
  func qualities(_ text: String, _ quality: Int) throws {
    #expect(try format(text, accept: "") { _ in }.encode.quality == quality)
  }

  @Test func losslessFormatsHaveNoQuality() throws {
    let encode = try format("f:png/q:50/mb:100", accept: "") { _ in }.encode
    #expect(encode.quality == nil)
    #expect(encode.maxBytes == nil)
  }

  @Test func hintsStandInForOptions() throws {
    let hints = ClientHints { ["Sec-CH-DPR": "2", "Width": "100"][$0] }
    var policy = PlanningPolicy()
    #expect(try Samples.plan("", policy: policy, hints: hints).resultSize == Samples.size(200, 100))
    policy.usesClientHints = true
    // 100 physical pixels at a ratio of 2.
    #expect(try Samples.plan("", policy: policy, hints: hints).resultSize == Samples.size(100, 50))
    #expect(try Samples.plan("w:30", policy: policy, hints: hints).resultSize == Samples.size(60, 30))
    let fixed = try Samples.plan("w:30/dpr:1", policy: policy, hints: hints)
    #expect(fixed.resultSize == Samples.size(30, 15))
    #expect(fixed.varyingHeaders == [])
    #expect(try Samples.plan("w:30", policy: policy).varyingHeaders == ["Sec-Ch-Dpr", "Dpr"])
    #expect(
      try Samples.plan("dpr:1", policy: policy).varyingHeaders == [
        "Sec-Ch-Dpr", "Dpr", "Sec-Ch-Width", "Width",
      ])
  }

  @Test func sourcesArePassedOn() throws {
    func outcome(_ text: String, _ info: ImageInfo) throws -> PlanOutcome {
      try Planner().plan(PlanRequest(try Samples.options(text), of: info))
    }
    var info = ImageInfo(format: .png, size: Samples.size(200, 100))
    #expect(try outcome("skp:png/w:1", info) == .passThrough(PassThroughPlan(.skippedFormat, format: .png)))
    // Limits hold all the same, but not for raw.
    info.size = Samples.size(100_000, 100_000)
    #expect(throws: PlanningError.self) { try outcome("skp:png", info) }
    #expect(try outcome("raw:1", info) == .passThrough(PassThroughPlan(.raw, format: .png)))
    info.format = .svg
    info.isVector = true
    #expect(try outcome("w:1", info) == .passThrough(PassThroughPlan(.drawing, format: .svg)))
  }
}
