import FoundationEssentials
import Logging
import SeededNumbers
import Testing

@testable import CalotypeLogs

@Suite("Log lines")
struct LogLineTests {
  private static func entry(_ message: String, _ metadata: Logger.Metadata = [:]) -> LogEntry {
    LogEntry(
      time: 1_767_225_600_123, level: .warning, label: "calotype-server", message: message, metadata: metadata
    )
  }

  private static let request: Logger.Metadata = [
    "request_id": "abc-1", "method": "GET", "status": .stringConvertible(200),
    "duration_ms": .stringConvertible(12.5), "trace_id": "0af7651916cd43dd8448eb211c80319c",
    "list": ["a", "b"],
  ]

  @Test func formats() {
    let entry = Self.entry("request", Self.request)
    #expect(
      entry.line(.pretty)
        == "2026-01-01T00:00:00.123Z WARN   request duration_ms=12.5 list=[\"a\",\"b\"] method=GET "
        + "request_id=abc-1 status=200 trace_id=0af7651916cd43dd8448eb211c80319c")
    #expect(
      entry.line(.structured)
        == "time=2026-01-01T00:00:00.123Z level=warn msg=\"request\" logger=calotype-server duration_ms=12.5 "
        + "list=[\"a\",\"b\"] method=GET request_id=abc-1 status=200 "
        + "trace_id=0af7651916cd43dd8448eb211c80319c")
    #expect(
      entry.line(.json)
        == #"{"time":"2026-01-01T00:00:00.123Z","level":"warn","msg":"request","logger":"calotype-server","#
        + #""duration_ms":12.5,"list":["a","b"],"method":"GET","request_id":"abc-1","status":200,"#
        + #""trace_id":"0af7651916cd43dd8448eb211c80319c"}"#)
    #expect(
      entry.line(.gcp)
        == #"{"time":"2026-01-01T00:00:00.123Z","severity":"WARNING","message":"request","#
        + #""logger":"calotype-server","list":["a","b"],"request_id":"abc-1","#
        + #""logging.googleapis.com/trace":"0af7651916cd43dd8448eb211c80319c","#
        + #""httpRequest":{"latency":"0.0125s","requestMethod":"GET","status":200}}"#)
  }

  private struct Line: Decodable {
    let msg: String
    let bytes: String?
    let level: String
  }

  /// Any bytes become one line of JSON; short texts come out as they went in.
  @Test func anyBytes() throws {
    var random = Seeded(7)
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      let text = String(decoding: bytes, as: UTF8.self)
      for format in LogFormat.allCases {
        let line = Self.entry(text, ["bytes": "\(text)", text: "key"]).line(format)
        #expect(!line.utf8.contains { $0 < 0x20 || $0 == 0x7F })
      }
      let line = Self.entry(text, ["bytes": "\(text)"]).line(.json)
      let read = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
      #expect(read.msg == text && read.bytes == text)
      _ = try JSONDecoder().decode(
        [String: AnyJSON].self, from: Data(Self.entry(text, ["msg": "other", text: "key"]).line(.json).utf8))
    }
  }

  private struct AnyJSON: Decodable {
    init(from decoder: any Decoder) throws { _ = try decoder.singleValueContainer() }
  }

  @Test func reservedNamesAreNotRepeated() {
    let line = Self.entry("a", ["msg": "b", "level": "c"]).line(.json)
    #expect(line.split(separator: "\"msg\"").count == 2 && !line.contains("\"c\""))
  }

  @Test func linesAreBounded() throws {
    let long = String(repeating: "ä", count: 5000)
    let one = Self.entry("a", ["text": "\(long)"]).line(.json)
    #expect(one.utf8.count < 3000)
    var metadata: Logger.Metadata = [:]
    for index in 0..<60 { metadata["\(index)"] = "\(long)" }
    for format in LogFormat.allCases {
      let line = Self.entry(long, metadata).line(format)
      #expect(line.utf8.count <= LogEntry.maxLineBytes && line.contains("truncated"))
    }
    var nested: Logger.MetadataValue = "x"
    for _ in 0..<100 { nested = [nested] }
    #expect(Self.entry("a", ["nested": nested]).line(.json).utf8.count < 200)
  }

  @Test func numbersAreJSON() {
    let line = Self.entry(
      "a", ["nan": .stringConvertible(Double.nan), "infinite": .stringConvertible(-Double.infinity)]
    ).line(.json)
    #expect(line.contains("\"nan\":\"nan\"") && line.contains("\"infinite\":\"-inf\""))
  }

  @Test func terminalsAreNotReached() {
    let line = Self.entry("a\u{1B}[31m\u{202E}\u{9B}2J", ["k": "\r\n\u{2028}"]).line(.pretty)
    #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x7F })
  }
}
