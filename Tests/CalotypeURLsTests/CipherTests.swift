import CalotypeURLs
import Testing

@Suite("Encrypted sources")
struct CipherTests {
  /// AES-CBC of three lengths of keys, of imgproxy's documentation and computed with OpenSSL.
  static let known: [(key: [UInt8], vector: [UInt8], source: String, text: String)] = [
    (
      hex("1eb5b0e971ad7f45324c1bb15c947cb207c43152fa5c6c7f35c4f36e0c18e0f1"),
      hex("A79563A2B35D86CEE6451C3C800F535A"),
      "http://example.com/images/curiosity.jpg",
      "p5VjorNdhs7mRRw8gA9TWoRlGci3l1kuzqN43UQlRaRIQ0qtBKW3qFABIsx-ZRz_cVc8iVTYbhsNsxNBL1BHaQ"
    ),
    (
      Array(0..<16), Array(0..<16), "http://example.com/images/curiosity.jpg",
      "AAECAwQFBgcICQoLDA0OD-TMFCb0I2jbZDBimuRXmwRhMbKbaoMWyp0thtsETkr-QjNPq_e7OCNoVvhUsx2r0A"
    ),
    (
      Array(0..<24), Array(0..<16), "http://example.com/images/curiosity.jpg",
      "AAECAwQFBgcICQoLDA0OD2eGltowCu779oWc_qkg304Hlf3l520j_rpjvgXq-AFuLhoBUYhz_ZVLjeaB0nsEOg"
    ),
    (
      Array(0..<32), Array(0..<16), "http://example.com/images/curiosity.jpg",
      "AAECAwQFBgcICQoLDA0OD-RNRP94jxVoRGUIznZya2LnkedbpcLqOmkcBxmHPHhyRhKDZBxjVGHYglYcnkzZ6w"
    ),
  ]

  static func hex(_ text: String) -> [UInt8] {
    let digits = Array(text)
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0...$0 + 1]), radix: 16)
    }
  }

  @Test(arguments: 0..<known.count) func isTheKnownOne(_ index: Int) throws {
    let row = Self.known[index]
    let cipher = try SourceCipher(key: row.key)
    #expect(try cipher.encrypt(row.source, vector: .bytes(row.vector)) == row.text)
    let dialect = try ImgproxyDialect.with { $0.cipher = cipher }
    for path in ["enc/\(row.text)", "w:1/enc/\(row.text.prefix(16))/\(row.text.dropFirst(16)).png"] {
      let request = try dialect.parse(path: path)
      #expect(request.source == row.source && request.sourceForm == .encrypted)
    }
  }

  @Test func vectorsAreDerivedOrRandom() throws {
    let cipher = try SourceCipher(key: Array(1...16))
    #expect(try cipher.encrypt("http://a/b") == cipher.encrypt("http://a/b"))
    #expect(try cipher.encrypt("http://a/b").prefix(21) != cipher.encrypt("http://a/c").prefix(21))
    #expect(
      try cipher.encrypt("http://a/b", vector: .random) != cipher.encrypt("http://a/b", vector: .random))
    let other = try SourceCipher(key: Array(2...17))
    #expect(try cipher.encrypt("http://a/b").prefix(21) != other.encrypt("http://a/b").prefix(21))
    let dialect = try ImgproxyDialect.with { $0.cipher = cipher }
    let url = try dialect.url(for: "http://a/b", encoding: .encrypted(.random))
    #expect(try dialect.parse(url).source == "http://a/b")
    #expect(!url.contains("aHR0cDovL2EvYg"))
  }

  @Test func allKeysDecryptAndTheFirstEncrypts() throws {
    let (old, new) = (Array(UInt8(0)..<16), Array(UInt8(50)..<82))
    let text = try SourceCipher(key: old).encrypt("http://a/b")
    let both = try SourceCipher(keys: [new, old])
    let dialect = try ImgproxyDialect.with { $0.cipher = both }
    #expect(try dialect.parse(path: "enc/" + text).source == "http://a/b")
    #expect(try both.encrypt("x") == SourceCipher(key: new).encrypt("x"))
  }

  @Test func wrongTextsAndKeysAreRefusedAlike() throws {
    let cipher = try SourceCipher(key: Array(0..<16))
    let dialect = try ImgproxyDialect.with { $0.cipher = cipher }
    let text = try cipher.encrypt("http://example.com/images/curiosity.jpg")
    for wrong in [
      String(text.dropLast(2)), String(text.prefix(20)), String(text.prefix(22)), "AAAA", text + "AAAA",
    ] {
      #expect(dialect.fault(path: "enc/" + wrong) == .undecryptableSource, "\(wrong)")
    }
    let other = try ImgproxyDialect.with { $0.cipher = try SourceCipher(key: Array(1..<17)) }
    #expect(other.fault(path: "enc/" + text) == .undecryptableSource)
    #expect(try ImgproxyDialect().fault(path: "enc/" + text) == .undecryptableSource)
    #expect(dialect.fault(path: "enc/a!b") == .invalidSource)
    #expect(fault { _ = try SourceCipher(key: Array(0..<30)) } == .invalidConfiguration)
    #expect(fault { _ = try SourceCipher(keys: []) } == .invalidConfiguration)
    #expect(fault { _ = try cipher.encrypt("a", vector: .bytes([1])) } == .invalidConfiguration)
    #expect(fault { _ = try ImgproxyDialect().url(for: "a", encoding: .encrypted()) } == .undecryptableSource)
  }
}
