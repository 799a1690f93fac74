import Testing

@testable import Calotype

@Suite("Choice of the output format")
struct OutputNegotiationTests {
  typealias Content = OutputNegotiation.Content

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let accept: String?
    let candidates: [EncodeOptions]
    let content: Content
    let expected: EncodeOptions?

    init(
      _ name: String, _ accept: String?, _ candidates: [EncodeOptions], _ content: Content,
      _ expected: EncodeOptions?
    ) {
      (testDescription, self.accept, self.candidates) = (name, accept, candidates)
      (self.content, self.expected) = (content, expected)
    }
  }

  static let avif = EncodeOptions(format: .avif)
  static let avifLossless = EncodeOptions(format: .avif, isLossless: true)
  static let custom = EncodeOptions(format: ImageFormat(rawValue: "farbfeld"))
  static let jpeg = EncodeOptions.jpeg()
  static let webp = EncodeOptions.webp()
  static let photo = Content()
  static let drawing = Content(isDrawing: true)
  static let cutout = Content(hasAlpha: true)
  static let logo = Content(hasAlpha: true, isDrawing: true)
  static let clip = Content(isAnimated: true)
  static let sticker = Content(hasAlpha: true, isAnimated: true)
  /// The list of a typical server.
  static let usual: [EncodeOptions] = [webp, .webpLossless, .apng, .gif, .png, jpeg]
  static let still: [EncodeOptions] = [avif, webp, .webpLossless, .png, jpeg]

  @Test(arguments: [
    Row("Chrome, photo", AcceptHeaderTests.chrome, still, photo, avif),
    Row("Chrome, drawing", AcceptHeaderTests.chrome, [jpeg, .webpLossless, .png], drawing, .webpLossless),
    Row("Chrome, clip", AcceptHeaderTests.chrome, usual, clip, webp),
    Row("Firefox 47, photo", AcceptHeaderTests.firefox47, [jpeg, .png], photo, .png),
    Row("Firefox 65, photo", AcceptHeaderTests.firefox65, still, photo, avif),
    Row("Firefox 65, cutout", AcceptHeaderTests.firefox65, [jpeg, .png], cutout, .png),
    Row("Firefox 128, photo", AcceptHeaderTests.firefox128, still, photo, avif),
    Row("Firefox 128, GIF or APNG", AcceptHeaderTests.firefox128, [.gif, .apng], clip, .apng),
    Row("Safari 13, clip", AcceptHeaderTests.safari13, usual, clip, .apng),
    Row("Safari 13, photo, of lossy formats", AcceptHeaderTests.safari13, [webp, jpeg], photo, webp),
    Row("Safari 17, photo", AcceptHeaderTests.safari, [webp, avif, jpeg], photo, webp),
    Row("curl, photo", "*/*", still, photo, avif),
    Row("curl, logo", "*/*", [jpeg, .png], logo, .png),
    Row("Java, photo", AcceptHeaderTests.java, still, photo, jpeg),
    Row("Java, clip", AcceptHeaderTests.java, usual, clip, .gif),
    Row("no header, photo", nil, [jpeg, .png], photo, jpeg),
    Row("no header, custom format", nil, [custom, jpeg], photo, custom),
  ])
  func servesClients(row: Row) { check(row) }

  @Test(arguments: [
    Row("no candidates", "*/*", [], photo, nil),
    Row("higher weight", "image/webp;q=0.5, image/jpeg", [webp, jpeg], photo, jpeg),
    Row("a thousandth higher", "image/webp;q=0.5, image/jpeg;q=0.501", [webp, jpeg], photo, jpeg),
    Row("equal weight, the earlier", "image/webp;q=0.5, image/jpeg;q=0.5", [jpeg, webp], photo, jpeg),
    Row("excluded", "image/webp;q=0, */*", [webp, jpeg], photo, jpeg),
    Row(
      "same format, the earlier", "*/*", [.webp(quality: 50), .webp(quality: 90)], photo, .webp(quality: 50)),
    Row("custom format is not an image", "image/*, */*;q=0.5", [custom, jpeg], photo, jpeg),
    Row("custom format excluded by image/*", "image/*", [custom, jpeg], photo, jpeg),
    Row("APNG for a PNG client", "image/png, */*;q=0.1", usual, clip, .apng),
  ])
  func theHighestWeightWins(row: Row) { check(row) }

  @Test(arguments: [
    Row("clip not as JPEG", "image/jpeg, image/gif;q=0.1", [jpeg, .gif], clip, .gif),
    Row("clip not as PNG", "*/*", [.png, jpeg, .apng], clip, .apng),
    Row("clip as AVIF", "*/*", [jpeg, avif], clip, avif),
    Row("clip as JPEG, as animations are excluded", "image/jpeg", [.gif, webp, jpeg], clip, jpeg),
    Row("clip without animated candidates", "*/*", [jpeg, .png], clip, jpeg),
    Row("cutout not as JPEG", "image/jpeg, image/png;q=0.1", [jpeg, .png], cutout, .png),
    Row("cutout as JPEG, as others are excluded", "image/jpeg", [.png, jpeg], cutout, jpeg),
    Row("cutout without transparent candidates", "*/*", [jpeg], cutout, jpeg),
    Row("sticker as GIF rather than PNG", "image/gif;q=0.1, image/png", [.png, .gif, jpeg], sticker, .gif),
    Row("sticker as PNG rather than JPEG", "image/jpeg, image/png;q=0.1", [jpeg, .png, .gif], sticker, .png),
    Row("sticker as JPEG", "image/jpeg", [.gif, .png, jpeg], sticker, jpeg),
  ])
  func theFormatHoldsTheContent(row: Row) { check(row) }

  @Test(arguments: [
    Row("photo, lossy over lossless", "*/*", [.webpLossless, .png, jpeg], photo, jpeg),
    Row("photo, lossy over GIF", "*/*", [.gif, jpeg], photo, jpeg),
    Row("photo, GIF and PNG only", "*/*", [.gif, .png], photo, .gif),
    Row("photo, lossy AVIF", "*/*", [avifLossless, avif], photo, avif),
    Row("photo, weight first", "image/png, image/jpeg;q=0.9", [jpeg, .png], photo, .png),
    Row("photo, lossless by weight", "image/webp, */*;q=0.5", [jpeg, .webpLossless], photo, .webpLossless),
    Row("cutout, lossy WebP over PNG", "*/*", [.png, jpeg, webp], cutout, webp),
    Row("cutout, PNG only", "*/*", [jpeg, .png], cutout, .png),
    Row("clip, lossy WebP over GIF", "*/*", [.gif, .apng, webp], clip, webp),
    Row("drawing, lossless over JPEG", "*/*", [jpeg, .png], drawing, .png),
    Row("drawing, lossless WebP over JPEG", "*/*", [jpeg, .webpLossless, .png], drawing, .webpLossless),
    Row("drawing, lossy WebP before PNG", "*/*", [webp, .png, jpeg], drawing, webp),
    Row("drawing, JPEG before lossy WebP", "*/*", [jpeg, webp], drawing, jpeg),
    Row("drawing, GIF is no lossless format", "*/*", [jpeg, .gif], drawing, jpeg),
    Row("drawing, weight first", "image/jpeg, image/png;q=0.9", [jpeg, .png], drawing, jpeg),
    Row("drawing, JPEG only", "*/*", [jpeg], drawing, jpeg),
    Row("drawing, lossless is excluded", "image/jpeg", [.png, jpeg], drawing, jpeg),
  ])
  func equalWeightsFollowTheContent(row: Row) { check(row) }

  @Test(arguments: [
    Row("photo, the last", "text/html", still, photo, jpeg),
    Row("photo, the last though lossless", "text/html", [jpeg, .png], photo, .png),
    Row("cutout, the last with alpha", "text/html", still, cutout, .png),
    Row("clip, the last animated", "text/html", usual, clip, .gif),
    Row("sticker, the last animated", "image/*;q=0", usual, sticker, .gif),
    Row("clip, none animated", "*/*;q=0", [jpeg, .png], clip, .png),
    Row("one candidate", "image/jpeg;q=0", [jpeg], photo, jpeg),
  ])
  func anExcludingHeaderIsDisregarded(row: Row) { check(row) }

  struct Variation: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let candidates: [EncodeOptions]
    let content: Content
    let varies: Bool

    init(_ name: String, _ candidates: [EncodeOptions], _ content: Content, varies: Bool) {
      (testDescription, self.candidates, self.content, self.varies) = (name, candidates, content, varies)
    }
  }

  @Test(arguments: [
    Variation("two formats", [webp, jpeg], photo, varies: true),
    Variation("one", [jpeg], photo, varies: false),
    Variation("the same twice", [jpeg, jpeg], photo, varies: false),
    Variation("the fallback differs", [.jpeg(quality: 90), .jpeg(quality: 70)], photo, varies: true),
    Variation("lossy first, photo", [webp, .webpLossless], photo, varies: true),
    Variation("lossy last, photo", [.webpLossless, webp], photo, varies: false),
    Variation("lossy last, drawing", [.webpLossless, webp], drawing, varies: true),
    Variation("JPEG only for alpha if PNG is excluded", [jpeg, .png], cutout, varies: true),
    Variation("PNG and APNG", [.apng, .png], clip, varies: true),
  ])
  func tellsWhetherTheHeaderCounts(row: Variation) {
    for accept in [nil, "*/*", "image/webp", "text/html"] {
      let negotiation = OutputNegotiation(accept: accept, among: row.candidates)
      #expect(negotiation.outcome(for: row.content)?.variesOnAccept == row.varies)
    }
  }

  /// For each list and content, the choice varies exactly if two of all the headers lead to different
  /// options.
  @Test func variesExactlyIfTwoHeadersDiffer() {
    let all = [
      Self.jpeg, .png, .apng, .gif, Self.webp, .webpLossless, Self.avif, Self.custom, .jpeg(quality: 50),
    ]
    let contents = (0..<8).map {
      Content(hasAlpha: $0 & 1 > 0, isAnimated: $0 & 2 > 0, isDrawing: $0 & 4 > 0)
    }
    let headers = Self.headers.map { AcceptHeader($0) }
    var lists = all.map { [$0] }
    for first in all { lists += all.map { [first, $0] } }
    for rotation in all.indices {
      let rotated = Array(all[rotation...] + all[..<rotation])
      lists += [Array(rotated.prefix(3)), rotated, rotated.reversed()]
    }
    var varying = 0
    for list in lists {
      let negotiations = headers.map { OutputNegotiation(accept: $0, among: list) }
      for content in contents {
        let outcomes = Set(negotiations.compactMap { $0.outcome(for: content) })
        let varies = Set(outcomes.map(\.options)).count > 1
        #expect(outcomes.allSatisfy { $0.variesOnAccept == varies }, "\(list) \(content)")
        varying += varies ? 1 : 0
      }
    }
    // The rows of one format do not vary, so that both answers occur.
    #expect(varying > 0 && varying < lists.count * contents.count)
  }

  @Test("the Accept lines of a request, also when other candidates were asked for before")
  func readsTheFieldsOfARequest() throws {
    var fields: HTTPFields = [.referer: "a", .accept: "image/webp;q=0.5"]
    fields.append(HTTPField(name: .accept, value: "image/png"))
    for _ in 0..<2 {
      for (candidates, best) in [(Self.still, EncodeOptions.png), ([Self.jpeg, Self.webp], Self.webp)] {
        let made = OutputNegotiation.negotiated(for: fields, among: candidates)
        #expect(made == .negotiated(accept: "image/webp;q=0.5,image/png", among: candidates))
        #expect(made.outcome(for: Self.photo)?.options == best)
        // Made once, and remembered.
        #expect(made.outcome(for: Self.photo) == made.outcome(for: Self.photo))
        #expect(made.outcome(for: Self.photo) != made.outcome(for: Self.clip) || candidates.count == 2)
      }
    }
    let any = OutputNegotiation.negotiated(for: [:], among: Self.still)
    #expect(any == .negotiated(accept: nil, among: Self.still))
    #expect(any != .negotiated(accept: "image/png", among: Self.still))
    let long = String(repeating: " ", count: 600) + "image/png"
    #expect(
      OutputNegotiation.negotiated(for: [.accept: long], among: Self.still).outcome(for: Self.photo)?.options
        == .png)
  }

  /// Every type alone, excluded and weighed, every pair of weights, and combinations drawn from a seed.
  static let headers: [String?] = {
    let types = [
      "image/jpeg", "image/png", "image/apng", "image/gif", "image/webp", "image/avif",
      "application/octet-stream", "image/*", "*/*",
    ]
    let weights = ["", ";q=0", ";q=0.5"]
    var headers: [String?] = [nil, "", "image", "text/html"]
    for type in types {
      headers += weights.map { type + $0 } + [type + ";q=0, */*", type + ";q=0.5, */*;q=0.7"]
      for other in types where other != type { headers += weights.map { type + ", " + other + $0 } }
    }
    var seed: UInt64 = 7
    for _ in 0..<200 {
      let ranges = types.compactMap { type -> String? in
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let index = Int(seed >> 62)
        return index < weights.count ? type + weights[index] : nil
      }
      headers.append(ranges.joined(separator: ","))
    }
    return headers
  }()

  private func check(_ row: Row) {
    let negotiation = OutputNegotiation(accept: row.accept, among: row.candidates)
    #expect(negotiation.outcome(for: row.content)?.options == row.expected)
  }
}
