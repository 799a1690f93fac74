import SeededNumbers
import Testing

@testable import CalotypeResults

@Suite("Trace context")
struct TraceContextTests {
  private static let (trace, span) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331")

  @Test func wellFormed() throws {
    let text = "00-\(Self.trace)-\(Self.span)-01"
    let context = try #require(
      TraceContext(parents: [text], states: ["rojo=00f067aa0ba902b7", " congo=t61 , "]))
    #expect(context.parent == text && context.traceID == Self.trace)
    #expect(context.state == "rojo=00f067aa0ba902b7,congo=t61")
  }

  /// What a later version adds is not passed on.
  @Test func laterVersions() {
    let text = "cc-\(Self.trace)-\(Self.span)-ff"
    for parent in [text, text + "-what-the-future-brings"] {
      #expect(TraceContext(parents: [parent])?.parent == "00-\(Self.trace)-\(Self.span)-01")
    }
    #expect(TraceContext(parents: [text + ".more"]) == nil)
  }

  @Test(arguments: [
    "", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-01-", "00-\(trace)-\(span)-01 ",
    "ff-\(trace)-\(span)-01",
    "00-00000000000000000000000000000000-\(span)-01", "00-\(trace)-0000000000000000-01",
    "00-\(trace.uppercased())-\(span)-01", "00_\(trace)-\(span)-01", "00-\(trace)-\(span)-0g",
    "0-0\(trace)-\(span)-01", " 00-\(trace)-\(span)-0", "00-\(trace)-\(span)-é",
  ])
  func malformed(_ text: String) { #expect(TraceContext(parents: [text]) == nil) }

  @Test func severalParentsAreNone() {
    let text = "00-\(Self.trace)-\(Self.span)-01"
    #expect(TraceContext(parents: [text, text]) == nil && TraceContext(parents: []) == nil)
  }

  @Test(arguments: [
    ("a=1", "a=1"), ("a=1,b=2", "a=1,b=2"), ("1a@b=c d", "1a@b=c d"), ("a/_-*=~", "a/_-*=~"),
    (" , a=1,\t", "a=1"),
    ("A=1", ""), ("a=1,a=2", ""), ("a", ""), ("a=", ""), ("a=b=c", ""), ("@a=1", ""), ("a@=1", ""),
    ("a@1=1", ""),
    ("a=é", ""), ("a=\u{1}", ""), ("a b=1", ""), (String(repeating: "a", count: 257) + "=1", ""),
    ("a=" + String(repeating: "b", count: 511), ""),
    ((0..<32).map { "a\($0)=1" }.joined(separator: ","), (0..<32).map { "a\($0)=1" }.joined(separator: ",")),
    ((0..<33).map { "a\($0)=1" }.joined(separator: ","), ""),
  ])
  func states(_ text: String, _ expected: String) {
    let parent = "00-\(Self.trace)-\(Self.span)-00"
    #expect(TraceContext(parents: [parent], states: [text])?.state == expected)
  }

  /// Any input leads to well-formed output.
  @Test func anything() {
    var random = Seeded(11)
    let alphabet = Array("0123456789abcdefABCDEF-=,@* \u{0}é".unicodeScalars)
    func text(_ count: Int) -> String {
      var text = String.UnicodeScalarView()
      for _ in 0..<count { text.append(alphabet[Int.random(in: 0..<alphabet.count, using: &random)]) }
      return String(text)
    }
    for _ in 0..<5000 {
      var parent = "00-\(Self.trace)-\(Self.span)-01"
      let start = parent.index(parent.startIndex, offsetBy: Int.random(in: 0..<55, using: &random))
      parent.replaceSubrange(start...start, with: text(Int.random(in: 0...2, using: &random)))
      guard let context = TraceContext(parents: [parent], states: [text(20)]) else { continue }
      #expect(TraceContext(parents: [context.parent], states: [context.state]) == context)
      #expect(context.parent.utf8.count == 55)
    }
  }
}
