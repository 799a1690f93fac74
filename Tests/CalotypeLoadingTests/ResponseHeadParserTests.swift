import FoundationEssentials
import HTTPTypes
import Testing

@testable import CalotypeLoading

@Suite("Response heads")
struct ResponseHeadParserTests {
  private func parse(
    _ text: String, answersChallenge: Bool = false
  ) -> (ResponseHeadParser, [ResponseHeadParser.Event]) {
    var parser = ResponseHeadParser(answersChallenge: answersChallenge)
    let events = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { line in
      Array((line + "\r\n").utf8).withUnsafeBytes { parser.line($0) }
    }
    return (parser, events)
  }

  @Test func plain() {
    let (parser, events) = parse("HTTP/1.1 200 OK\nContent-Type:  image/png \nX: a\nX: b\n\n")
    #expect(events == [.none, .none, .none, .none, .final])
    #expect(parser.status == 200)
    #expect(parser.headers[.contentType] == "image/png")
    #expect(parser.headers.count == 3)
  }

  @Test func interimResponses() {
    let (parser, events) = parse("HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Hints\nA: 1\n\nHTTP/2 200 \nB: 2\n\n")
    #expect(events.filter { $0 == .final }.count == 1)
    #expect(parser.status == 200)
    #expect(parser.headers.count == 1)
  }

  @Test func challengesThatAreAnswered() {
    let challenge = "HTTP/1.1 401 Who\nA: 1\n\n"
    let (answered, _) = parse(challenge + "HTTP/1.1 200 OK\nB: 2\nC: 3\n\n", answersChallenge: true)
    #expect(answered.isFinal && answered.status == 200 && answered.headers.count == 2)
    var (refused, _) = parse(challenge + challenge, answersChallenge: true)
    #expect(refused.isFinal && refused.status == 401)
    #expect({ !refused.settle() }())
    var (open, _) = parse(challenge, answersChallenge: true)
    #expect(!open.isFinal)
    #expect({ open.settle() }() && open.isFinal && open.status == 401)
    #expect(parse(challenge).0.isFinal)
  }

  @Test(arguments: [
    (301, "/x", true), (302, "/x", true), (303, "/x", true), (307, "/x", true), (308, "/x", true),
    (300, "/x", false),
    (304, "/x", false), (305, "/x", false), (301, "", false), (200, "/x", false),
  ])
  func redirects(status: Int, location: String, isFollowed: Bool) {
    let head = ResponseHead(url: URL(filePath: "/x"), status: status, headers: [.location: location])
    #expect(head.redirectLocation == (isFollowed ? location : nil))
  }

  @Test func trailersAndJunkLines() {
    let (parser, _) = parse("HTTP/1.1 200\nno colon\nbad name: 1\nA: 1\n  2\n\nT: 3\n\n")
    #expect(parser.headers.count == 1)
    #expect(parser.headers.first?.value == "1 2")
  }

  @Test func tooLarge() {
    let (parser, events) = parse(
      "HTTP/1.1 200 OK\n" + String(repeating: "A: " + String(repeating: "b", count: 1_000) + "\n", count: 300)
    )
    #expect(events.contains(.tooLarge))
    #expect(!parser.isFinal)
  }

  /// `HTTPFields` does not take as many as fit into the bytes, and would end the program.
  @Test func tooMany() {
    let (parser, events) = parse("HTTP/1.1 200 OK\n" + String(repeating: "a:\n", count: 70_000) + "\n")
    #expect(events.contains(.tooLarge))
    #expect(!parser.isFinal)
  }

  @Test(
    arguments: [
      (["7"], nil, 7), (["0"], nil, 0), ([" 7\t"], nil, 7), (["7, 7"], nil, 7), (["7", "7", "7 ,7"], nil, 7),
      (["9223372036854775807"], nil, .max), (["7"], "gzip", nil), (["7"], "identity", 7), ([], nil, nil),
    ] as [([String], String?, Int?)])
  func expectedLength(lengths: [String], coding: String?, expected: Int?) {
    var fields = HTTPFields()
    for length in lengths { fields.append(HTTPField(name: .contentLength, value: length)) }
    fields[.contentEncoding] = coding
    let head = ResponseHead(url: URL(filePath: "/x"), status: 200, headers: fields)
    #expect(head.expectedLength == expected && !head.hasInvalidLength)
  }

  @Test(arguments: [
    ["-7"], ["+7"], [""], ["7,"], [",7"], ["7 7"], ["0x7"], ["7", "8"], ["7, 8"], ["7", ""], ["7", "8", "7"],
    ["9223372036854775808"], ["99999999999999999999"], ["٧"],
  ])
  func invalidLength(lengths: [String]) {
    var fields = HTTPFields()
    for length in lengths { fields.append(HTTPField(name: .contentLength, value: length)) }
    let head = ResponseHead(url: URL(filePath: "/x"), status: 200, headers: fields)
    #expect(head.expectedLength == nil && head.hasInvalidLength)
    // Chunks say how long it is (RFC 9112 §6.3).
    fields[.transferEncoding] = "chunked"
    #expect(!ResponseHead(url: URL(filePath: "/x"), status: 200, headers: fields).hasInvalidLength)
  }
}
