import Calotype
import CalotypeSupport
import FoundationEssentials
import PipelineSamples
import Testing

/// The responses and the files of the uploads example.
@Suite("Examples: uploads", .timeLimit(.minutes(5)))
struct UploadTests {
  private let program: Program

  init() throws { program = try Program("Uploads") }

  private func upload(_ body: Data) async throws -> Program.Outcome {
    try await program.run([program.file("store")], input: body)
  }

  private var storedNames: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: program.file("store")).sorted()) ?? []
  }

  @Test("a photo: three files, named by the digest of the first")
  func photo() async throws {
    let outcome = try await program.run([program.file("store"), Photos.path("stream.jpg")])
    #expect(outcome.status == 0)
    let lines = outcome.lines.map { $0.split(separator: " ").map(String.init) }
    #expect(lines.map { $0[1] } == ["Created", "1731×1151", "320×213", "1280×851"])

    let name = try #require(lines.dropFirst().first?.first)
    let data = try Data(contentsOf: URL(filePath: program.file("store/\(name)")))
    let digest = data.withUnsafeBytes { Hex.encode(MessageDigest.sha256($0)) }
    #expect(name == "\(digest).jpg")
    #expect(storedNames == ["\(digest)-large.webp", "\(digest)-small.webp", "\(digest).jpg"])
    let small = try Image(contentsOf: URL(filePath: program.file("store/\(digest)-small.webp")))
    #expect(small.size == PixelSize(width: 320, height: 213))
  }

  @Test("a turned photo with Exif is upright and without Exif; the same upload has the same name")
  func turnedPhoto() async throws {
    let file = Samples.fixture("png/exif/f-orientation-6.png")
    let body = try Data(contentsOf: file)
    let options = DecodeOptions(readsMetadata: true)
    let source = try Image(data: body, options: options)
    #expect(source.info?.orientation != .topLeft && source.metadata.exif != nil)

    let outcome = try await upload(body)
    #expect(outcome.lines.first == "201 Created")
    let name = try #require(storedNames.first { $0.hasSuffix(".png") })
    let stored = try Image(contentsOf: URL(filePath: program.file("store/\(name)")), options: options)
    #expect(stored.size == source.size && stored.info?.orientation == .topLeft)
    #expect(stored.metadata.exif == nil && stored.metadata.xmp == nil)
    let names = storedNames
    #expect(try await program.run([program.file("store"), file.path]).output == outcome.output)
    #expect(storedNames == names)
  }

  @Test("another format, an animation, text, half a photo: nothing is stored")
  func refusals() async throws {
    let photo = try Samples.photo("stream.jpg")
    let gif = try Samples.photo("pan.gif")
    let webp = try CoderRegistry.standard.encode(
      AnimatedImage(data: gif, options: DecodeOptions(thumbnail: .fit(width: 40))), as: .webp())
    for (body, response) in [
      (gif, "415 gif is not accepted"), (webp, "422 the upload is an animation of 14 frames"),
      (Data("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), "415 svg is not accepted"),
      (Data(repeating: 7, count: 100_000), "422 not an image of a known format"),
      (photo.prefix(photo.count / 2), "422 "), (Data(), "422 the input is empty"),
    ] {
      let outcome = try await upload(body)
      #expect(outcome.status == 1)
      #expect(outcome.output.hasPrefix(response))
    }
    #expect(storedNames == [])
  }

  @Test("too large, with and without a declared length")
  func tooLarge() async throws {
    let body = try Samples.photo("stream.jpg") + Data(count: 20 << 20)
    let response = "413 the upload is larger than 20971520 bytes\n"
    #expect(try await upload(body).output == response)
    try body.write(to: URL(filePath: program.file("large.jpg")))
    #expect(try await program.run([program.file("store"), program.file("large.jpg")]).output == response)
    #expect(storedNames == [])
  }

  @Test("too many pixels, known from the header: the rest is not needed")
  func tooManyPixels() async throws {
    // 8,000 rows of 8,000 pixels, of which none follow.
    var png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    for (name, bytes) in [
      ("IHDR", [0, 0, 0x1F, 0x40, 0, 0, 0x1F, 0x40, 8, 2, 0, 0, 0]),
      ("tEXt", [UInt8](repeating: 65, count: 600)),
    ] as [(String, [UInt8])] {
      let chunk = Array(name.utf8) + bytes
      png += withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { Data($0) }
      png += chunk
      png += withUnsafeBytes(of: Self.checksum(chunk).bigEndian) { Data($0) }
    }
    let outcome = try await upload(png)
    #expect(outcome.output.hasPrefix("413 pixel count 64000000 exceeds the limit of 50000000"))
  }

  /// CRC-32 of PNG.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : (sum >> 1) ^ 0xEDB8_8320 }
    }
    return ~sum
  }
}
