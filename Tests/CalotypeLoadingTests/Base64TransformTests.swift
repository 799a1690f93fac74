import CalotypeLoading
import FoundationEssentials
import Testing

@Suite("Base64 bodies")
struct Base64TransformTests {
  private func decode(
    _ text: String, _ transform: Base64Transform = Base64Transform(), size: Int = 64 << 10
  ) throws -> Data {
    var work = try #require(transform.makeTransform(for: LoadResponse(ScriptedBody([]))))
    var output = Data()
    for piece in Data(text.utf8).pieces(of: size) { output.append(try work.transform(Data(Array(piece)))) }
    return output + (try work.finish())
  }

  private func reason(
    _ text: String, _ transform: Base64Transform = Base64Transform(), size: Int = 64 << 10
  ) -> String? {
    do {
      _ = try decode(text, transform, size: size)
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// RFC 4648 §10.
  @Test(
    arguments: [
      ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
      ("Zm9vYmFy", "foobar"), (" Zm9v\r\nYmFy\t\n", "foobar"), ("Z g = =\n", "f"),
    ], [1, 2, 3, 4, 5, 64])
  func vectors(vector: (text: String, plain: String), size: Int) throws {
    #expect(try decode(vector.text, size: size) == Data(vector.plain.utf8))
  }

  @Test(arguments: [1, 3, 997, 65_536])
  func anyChunksAndLines(size: Int) throws {
    for count in [0, 1, 2, 3, 56, 57, 58, 20_000, 20_001, 20_002] {
      let data = pattern(count, seed: UInt64(count))
      #expect(try decode(data.base64EncodedString(), size: size) == data)
      let lines = data.base64EncodedString(options: [.lineLength76Characters, .endLineWithCarriageReturn])
      #expect(try decode(lines, size: size) == data)
      // Lines that do not end with a group.
      let odd = data.base64EncodedString().pieces(of: 7).joined(separator: "\n")
      #expect(try decode(odd, size: size) == data)
    }
  }

  @Test func alphabets() throws {
    let data = Data([0xFB, 0xEF, 0xFF, 0xFE])
    #expect(try decode("++///g==") == data)
    #expect(try decode("--___g==", Base64Transform(alphabet: .urlSafe)) == data)
    #expect(reason("--___g==")?.contains("45 at 0") == true)
    #expect(reason("++///g==", Base64Transform(alphabet: .urlSafe))?.contains("43 at 0") == true)
  }

  @Test(arguments: [1, 2, 3, 64])
  func padding(size: Int) throws {
    let optional = Base64Transform(padding: .optional)
    for (text, plain) in [("Zg", "f"), ("Zm8", "fo"), ("Zm9v", "foo"), ("Zg==", "f"), ("Zm8=", "fo")] {
      #expect(try decode(text, optional, size: size) == Data(plain.utf8))
    }
    for text in ["Zg", "Zm8", "Zm9vYg", "Zg=", "=", "Z=", "Zg=g", "====", "Zm9v=", "Z==="] {
      #expect(reason(text, size: size)?.contains("padded wrongly") == true, "\(text)")
    }
    for text in ["Zg=", "=", "Z=", "Zg=g", "Zm9v="] {
      #expect(reason(text, optional, size: size)?.contains("padded wrongly") == true, "\(text)")
    }
    for text in ["Z", "Zm9vZ", "Zm9v\nZ\n"] {
      #expect(reason(text, size: size)?.contains("dangling") == true)
      #expect(reason(text, optional, size: size)?.contains("dangling") == true)
    }
  }

  @Test(arguments: [1, 2, 3, 64])
  func whatComesAfterThePadding(size: Int) {
    for text in ["Zg==Zg==", "Zg===", "Zm8=\nZ", "Zm8=*", "Zm8= \u{0}"] {
      #expect(reason(text, size: size)?.contains("after its padding") == true, "\(text)")
    }
  }

  @Test(arguments: [1, 2, 3, 64])
  func otherCharacters(size: Int) {
    #expect(reason("Zm9vYm*y", size: size)?.contains("the byte 42 at 6") == true)
    #expect(reason("Zm9v\nYm\u{e9}y", size: size)?.contains("the byte 195 at 7") == true)
    #expect(reason("\u{0}", size: size)?.contains("the byte 0 at 0") == true)
    // Two texts for the same bytes: one of them was not made by an encoder.
    #expect(reason("Zh==", size: size)?.contains("no byte takes") == true)
    #expect(reason("Zm9=", size: size)?.contains("no byte takes") == true)
  }

  @Test func asABody() async throws {
    let data = pattern(300_000)
    let text = Data(data.base64EncodedString(options: .lineLength64Characters).utf8)
    for size in [997, 65_536, text.count] {
      let response = try LoadResponse(ScriptedBody(text, size: size)).transformed(
        by: [Base64Transform()], byteLimit: data.count)
      #expect(try await response.body.collected() == data)
    }
    let cut = try LoadResponse(ScriptedBody(text.dropLast(2), size: 997)).transformed(
      by: [Base64Transform()], byteLimit: data.count)
    let error = await loadingError { _ = try await cut.body.collected() }
    guard case .bodyTransformFailed(_, let transform, let reason) = error else {
      Issue.record("not refused: \(String(describing: error))")
      return
    }
    #expect(transform == "base64(standard,required)")
    #expect(reason.contains("padded wrongly"))
  }

  @Test func identities() {
    let all = [
      Base64Transform(), Base64Transform(alphabet: .urlSafe), Base64Transform(padding: .optional),
      Base64Transform(alphabet: .urlSafe, padding: .optional),
    ]
    #expect(Set(all.map(\.identity)).count == all.count)
  }
}

extension String {
  /// Parts of `size` characters.
  fileprivate func pieces(of size: Int) -> [String] {
    Data(utf8).pieces(of: size).map { String(decoding: $0, as: UTF8.self) }
  }
}
