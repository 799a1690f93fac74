import CalotypeLoading
import CalotypeTestKit
import Crypto
import FoundationEssentials
import SealedBodies
import Testing

@Suite("Sealed bodies", .timeLimit(.minutes(1)))
struct SealedBodiesTests {
  private let keyBytes = Data(0..<32)
  private let sealed: SealedBodies
  /// A whole segment on the wire, and the header before the first.
  private let segment = 65_536 + 16
  private let header = 28

  init() throws {
    sealed = try SealedBodies(key: SymmetricKey(data: keyBytes))
  }

  private func open(_ body: Data, size: Int = 64 << 10, byteLimit: Int = 1 << 30) async throws -> Data {
    try await LoadResponse(ScriptedBody(body, size: size))
      .transformed(by: [sealed], byteLimit: byteLimit).body.collected()
  }

  /// The error of the transform itself, and what came out before it.
  private func failure(of body: Data, size: Int = 997) throws -> (error: SealedBodyError?, output: Data) {
    var work = try #require(sealed.makeTransform(for: LoadResponse(ScriptedBody([]))))
    var output = Data()
    do {
      for piece in body.pieces(of: size) { output.append(try work.transform(piece)) }
      output.append(try work.finish())
      return (nil, output)
    } catch let error as SealedBodyError {
      return (error, output)
    }
  }

  @Test(arguments: [0, 1, 2, 65_535, 65_536, 65_537, 131_072, 200_000], [1, 3, 997, 65_536, 1 << 20])
  func roundTrip(count: Int, size: Int) async throws {
    let plain = pattern(size == 1 ? min(count, 3_000) : count)
    let body = try sealed.seal(plain)
    let segments = max(1, (plain.count + 65_535) / 65_536)
    #expect(body.count == plain.count + header + 16 * segments)
    #expect(try await open(body, size: size) == plain)
  }

  /// Made by another implementation, from the description of the format.
  @Test(arguments: [
    ("abc", "5345414c016465666768696a6b6c6d6e6f70717273c8c9cacbcccdce836b4c5151f57deccd9f94e7d51c414143a43c"),
    ("", "5345414c016465666768696a6b6c6d6e6f70717273c8c9cacbcccdcede0c6364d763a197c3b1bcac37411834"),
  ])
  func knownBodies(plain: String, hex: String) async throws {
    let bytes = Data(hex.utf8).pieces(of: 2).compactMap {
      UInt8(String(decoding: $0, as: UTF8.self), radix: 16)
    }
    #expect(try await open(Data(bytes)) == Data(plain.utf8))
    #expect(sealed.identity == "sealed-v1(54471b4b4a2f7076c538f0a2e1768eaa)")
  }

  /// Sealed here, segment by segment, so that counters and the mark of the last one are what the format says.
  @Test func segmentsByHand() async throws {
    let head = Data("SEAL".utf8) + [1] + Data(100..<116) + Data(200..<207)
    let key = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: keyBytes), salt: Data(100..<116),
      info: Data("SealedBodies v1".utf8),
      outputByteCount: 32)
    let plain = pattern(3 * 65_536 + 5)
    var body = head
    for (number, piece) in plain.pieces(of: 65_536).enumerated() {
      let nonce = Data(200..<207) + [0, 0, 0, UInt8(number), number == 3 ? 1 : 0]
      let box = try AES.GCM.seal(piece, using: key, nonce: .init(data: nonce), authenticating: head)
      body += box.ciphertext + box.tag
    }
    #expect(try await open(body, size: 997) == plain)
  }

  @Test func sealedTwiceDiffers() throws {
    let plain = pattern(100)
    let bodies = try (0..<8).map { _ in try sealed.seal(plain) }
    #expect(Set(bodies.map { $0.prefix(header) }).count == 8)
    #expect(Set(bodies.map { $0.dropFirst(header) }).count == 8)
  }

  @Test func keys() async throws {
    #expect(throws: SealedBodyError.wrongKeySize(bits: 128)) {
      try SealedBodies(key: SymmetricKey(size: .bits128))
    }
    let other = try SealedBodies(key: SymmetricKey(size: .bits256))
    #expect(other.identity != sealed.identity)
    let again = try SealedBodies(key: SymmetricKey(data: keyBytes))
    #expect(again.identity == sealed.identity)
    for text in ["\(sealed)", sealed.identity] {
      #expect(
        !text.contains(keyBytes.map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined().prefix(8)))
      #expect(!text.contains("SymmetricKey"))
    }
    #expect(try failure(of: other.seal(pattern(100))).error == .tampered(segment: 0))
  }

  @Test(arguments: [0, 1, 40, 65_536, 65_537, 150_000])
  func truncation(count: Int) throws {
    let plain = pattern(count)
    let body = try sealed.seal(plain)
    let ends = [0, 1, 3, 4, 5, 20, 27, header, header + 1, header + 15, header + 16, header + segment - 1]
    let later = [header + segment, header + segment + 1, header + segment + 16, header + 2 * segment]
    for end in ends + later + [body.count - 1, body.count - 16, body.count - 17]
    where end < body.count && end >= 0 {
      let (error, output) = try failure(of: body.prefix(end))
      #expect(error != nil, "cut off after \(end)")
      // What came out is right, and is not all.
      #expect(output == plain.prefix(output.count) && (output.count < plain.count || plain.isEmpty))
      if end < header + 16 { #expect(error == .truncated(segments: 0)) }
    }
  }

  @Test func truncationBetweenSegments() throws {
    let body = try sealed.seal(pattern(3 * 65_536))
    #expect(try failure(of: body.prefix(header + segment)).error == .truncated(segments: 1))
    #expect(try failure(of: body.prefix(header + 2 * segment)).error == .truncated(segments: 2))
    #expect(try failure(of: body.prefix(header + 2 * segment + 9)).error == .truncated(segments: 2))
    #expect(try failure(of: body.prefix(header + 2 * segment + 90)).error == .tampered(segment: 2))
  }

  @Test func tampering() throws {
    let body = try sealed.seal(pattern(150_000))
    // Salt and prefix, then each end of ciphertexts and tags.
    let places = [
      (5, 0), (20, 0), (21, 0), (27, 0), (header, 0), (header + 65_535, 0), (header + 65_536, 0),
      (header + segment - 1, 0), (header + segment, 1), (header + 2 * segment, 2), (body.count - 1, 2),
    ]
    for (offset, number) in places {
      var changed = body
      changed[offset] ^= 1
      let (error, output) = try failure(of: changed)
      #expect(error == .tampered(segment: number), "at \(offset)")
      #expect(output.count == number * 65_536)
    }
    #expect(try failure(of: body + [0]).error == .tampered(segment: 2))
  }

  @Test func movedSegments() throws {
    let plain = pattern(4 * 65_536)
    let body = try sealed.seal(plain)
    let head = body.prefix(header)
    let segments = body.dropFirst(header).pieces(of: segment).map { Data($0) }
    func error(_ order: [Int]) throws -> SealedBodyError? {
      try failure(of: order.reduce(into: Data(head)) { $0 += segments[$1] }).error
    }
    #expect(try error([0, 1, 2, 3]) == nil)
    #expect(try error([1, 0, 2, 3]) == .tampered(segment: 0))
    #expect(try error([0, 2, 1, 3]) == .tampered(segment: 1))
    #expect(try error([0, 0, 1, 2, 3]) == .tampered(segment: 1))
    #expect(try error([0, 1, 3]) == .tampered(segment: 2))
    #expect(try error([0, 1, 2, 3, 3]) == .tampered(segment: 3))
    #expect(try error([3]) == .tampered(segment: 0))
    // Of another body with the same key.
    let other = try sealed.seal(plain)
    let mixed = body.prefix(header + segment) + other.dropFirst(header + segment)
    #expect(try failure(of: mixed).error == .tampered(segment: 1))
  }

  @Test func otherBodies() throws {
    #expect(try failure(of: Data()).error == .truncated(segments: 0))
    #expect(try failure(of: Data([0x89, 0x50, 0x4E, 0x47])).error == .notSealed)
    #expect(try failure(of: pattern(100_000)).error == .notSealed)
    var later = try sealed.seal(Data([1]))
    later[4] = 2
    #expect(try failure(of: later).error == .unsupportedVersion(2))
    #expect(try failure(of: later.prefix(5)).error == .unsupportedVersion(2))
  }

  /// An empty segment at the end would be a second form of the same body.
  @Test func emptyLastSegment() throws {
    let head = Data("SEAL".utf8) + [1] + Data(100..<116) + Data(200..<207)
    let key = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: keyBytes), salt: Data(100..<116),
      info: Data("SealedBodies v1".utf8),
      outputByteCount: 32)
    var body = head
    for (number, piece) in [pattern(65_536), Data()].enumerated() {
      let nonce = Data(200..<207) + [0, 0, 0, UInt8(number), UInt8(number)]
      let box = try AES.GCM.seal(piece, using: key, nonce: .init(data: nonce), authenticating: head)
      body += box.ciphertext + box.tag
    }
    #expect(try failure(of: body).error == .tampered(segment: 1))
  }

  @Test func errorsOfBodies() async throws {
    let body = try sealed.seal(pattern(70_000))
    let error = await loadingError { _ = try await open(body.dropLast(1)) }
    let reason = SealedBodyError.tampered(segment: 1).description
    #expect(error == .bodyTransformFailed(URL(filePath: "/body"), transform: sealed.identity, reason: reason))
    let tooLarge = await loadingError { _ = try await open(body, byteLimit: 69_999) }
    #expect(tooLarge?.code == "tooLarge")
    #expect(try await open(body, byteLimit: 70_000).count == 70_000)
  }

  /// Segments come out as soon as the next one begins.
  @Test func cancelledInTheMiddle() async throws {
    let body = try sealed.seal(pattern(200_000))
    let asked = Gate()
    let input = ScriptedBody([
      .bytes(body.prefix(header + segment + 1)), .wait(asked: asked, open: Gate()),
      .bytes(body.dropFirst(70_000)),
    ])
    let opened = try LoadResponse(input).transformed(by: [sealed], byteLimit: 1 << 20).body
    let task = Task {
      for try await chunk in opened { #expect(chunk == pattern(200_000).prefix(65_536)) }
    }
    try await asked.wait()
    task.cancel()
    #expect(await wasCancelled(task))
    #expect(input.cancelled > 0)
  }
}
