import CalotypeURLs
import Testing

@testable import CalotypeSettings

/// Texts are read as imgproxy reads them.
@Suite struct ValueTests {
  private func read(_ text: String, _ kind: SettingKind, _ settings: Settings = Settings()) -> SettingValue? {
    try? SettingReader(settings: settings) { _ throws(SettingFault) in .none }.read(.text(text), kind)
  }

  @Test func booleansAreThoseOfGo() {
    for text in ["1", "t", "T", "TRUE", "true", "True"] {
      #expect(read(text, .flag) == .flag(true), "\(text)")
    }
    for text in ["0", "f", "F", "FALSE", "false", "False"] {
      #expect(read(text, .flag) == .flag(false), "\(text)")
    }
    for text in ["yes", "on", "tRUE", " 1", "2", ""] { #expect(read(text, .flag) == nil, "\(text)") }
  }

  @Test(arguments: [
    ("30", Duration.seconds(30)), ("0", .zero), ("500ms", .milliseconds(500)), ("2m", .seconds(120)),
    ("1h", .seconds(3600)), ("7d", .seconds(604_800)), ("30s", .seconds(30)),
  ]) func durations(text: String, duration: Duration) {
    #expect(read(text, .duration) == .duration(duration))
  }

  @Test(arguments: [
    "", "-1", "1.5", "s", "9223372036854775807", "99999999999999999999", "10 weeks", "0x10", "１",
  ])
  func noDurations(text: String) { #expect(read(text, .duration) == nil) }

  @Test(arguments: [
    ("0", 0), ("268435456", 1 << 28), ("256MiB", 1 << 28), ("256 MiB", 1 << 28), ("1kib", 1024), ("7B", 7),
    ("1024TiB", 1 << 50),
  ]) func byteCounts(text: String, count: Int) { #expect(read(text, .byteCount) == .integer(count)) }

  @Test(arguments: ["", "-1", "1MB", "1025TiB", "9223372036854775807TiB", "1.5MiB", "MiB"])
  func noByteCounts(text: String) { #expect(read(text, .byteCount) == nil) }

  @Test(arguments: [
    ("50", 50_000_000), ("0.5", 500_000), ("16.8", 16_800_000), ("1e2", 100_000_000), ("0", 0),
  ])
  func megapixels(text: String, pixels: Int) {
    #expect(read(text, .megapixels) == .integer(pixels))
    #expect(
      read(SettingWriter(Settings()).write(.integer(pixels), .megapixels), .megapixels) == .integer(pixels))
  }

  @Test(arguments: ["nan", "NaN", "inf", "Infinity", "0x1p3", "-1", "1e300", "1,5", "", "+-1", "1_000"])
  func noNumbers(text: String) {
    #expect(read(text, .megapixels) == nil)
    #expect(read(text, .real(0...10, excludingZero: false)) == nil)
  }

  @Test func rangesExcludeZeroOnDemand() {
    #expect(read("0", .real(0...1, excludingZero: true)) == nil)
    #expect(read("0", .real(0...1, excludingZero: false)) == .real(0))
    #expect(read("1", .real(0...1, excludingZero: true)) == .real(1))
    #expect(read("1.001", .real(0...1, excludingZero: true)) == nil)
    #expect(read("+5", .integer(1...5)) == .integer(5))
    #expect(read("6", .integer(1...5)) == nil)
  }

  @Test func listsAreTrimmed() {
    #expect(read(" a , b,, c ", .list(.comma, .text)) == .list(["a", "b", "c"]))
    #expect(read("  ", .list(.comma, .text)) == .list([]))
    var settings = Settings()
    settings.presets.separator = "||"
    #expect(read("a=x,y || b=z", .list(.presets, .definition), settings) == .list(["a=x,y", "b=z"]))
    for size in [0, 17] {
      settings.presets.separator = String(repeating: "|", count: size)
      #expect(read("a=b", .list(.presets, .definition), settings) == nil)
    }
    #expect(read("a=b=c", .list(.comma, .definition)) == nil)
  }

  @Test func pairsAreSplitAtTheFirstSign() {
    #expect(
      read("a = 1 ;; b=2=3;", .pairs(.semicolon)) == .pairs([SettingPair("a", "1"), SettingPair("b", "2=3")]))
    #expect(
      read("X-A=1\\;X-B=2;3", .headers) == .pairs([SettingPair("X-A", "1"), SettingPair("X-B", "2;3")]))
    #expect(read("X A=1", .headers) == nil)
    #expect(read("=1", .pairs(.semicolon)) == nil)
  }

  @Test func formatsAndQualities() {
    #expect(read("jpg, JPEG,webp", .formats) == .formats([.jpeg, .jpeg, .webp]))
    #expect(read("best", .formats) == nil)
    #expect(read("tif", .formats) == nil)
    #expect(read("webp=79, jpg = 100", .qualities) == .qualities([.webp: 79, .jpeg: 100]))
    #expect(read("webp=101", .qualities) == nil)
  }

  @Test func choicesHaveAnyCase() {
    #expect(read("WebP", .choice(["webp", "avif"])) == .text("webp"))
    #expect(read("png", .choice(["webp", "avif"])) == nil)
  }

  @Test(arguments: [
    ("/a/", "/a"), ("a/b", "/a/b"), ("/", ""), ("", ""), ("/a?b#c", "/a"), ("a//", "/a"),
  ]) func pathsOfURLs(text: String, path: String) { #expect(read(text, .urlPath) == .text(path)) }

  @Test(arguments: [
    (":8080", BindAddress.port(host: "", 8080)), ("127.0.0.1:0", .port(host: "127.0.0.1", 0)),
    ("[::1]:80", .port(host: "::1", 80)), ("/run/a.sock", .socket(path: "/run/a.sock")),
    ("./a.sock", .socket(path: "./a.sock")), ("name:65535", .port(host: "name", 65535)),
  ]) func addresses(text: String, address: BindAddress) {
    #expect(BindAddress(text) == address)
    #expect(address.description == text)
  }

  @Test(arguments: [
    "", "8080", ":", ":65536", ":-1", ":+1", "::1:80", "[::1]", "[::g]:80", "a b:80", "/run/", ":８０",
    "/" + String(repeating: "a", count: 107),
  ]) func noAddresses(text: String) { #expect(BindAddress(text) == nil) }

  @Test func localAddresses() {
    for text in ["127.0.0.1:1", "[::1]:1", "localhost:1", "/run/a"] {
      #expect(BindAddress(text)?.isLocal == true)
    }
    for text in [":1", "0.0.0.0:1", "10.0.0.1:1", "example.com:1", "[::]:1"] {
      #expect(BindAddress(text)?.isLocal == false)
    }
  }

  @Test func rangesOfAddresses() throws {
    let ten = try #require(NetworkRange("10.0.0.0/9"))
    #expect(ten.contains([10, 127, 255, 255]))
    #expect(!ten.contains([10, 128, 0, 0]))
    #expect(!ten.contains([UInt8](repeating: 10, count: 16)))
    #expect(try #require(NetworkRange("0.0.0.0/0")).contains([255, 0, 0, 1]))
    #expect(try #require(NetworkRange("192.0.2.1")).prefixLength == 32)
    for text in ["10.0.0.0/33", "10.0.0/8", "10.0.0.0/", "::/129", "a/8", "10.0.0.0/8/8", "10.0.0.0/-1"] {
      #expect(NetworkRange(text) == nil, "\(text)")
    }
  }

  @Test(arguments: [
    ("1970-01-01T00:00:00Z", Int64(0)), ("2000-02-29T12:30:15Z", 951_827_415),
    ("2026-01-31T13:00:00.25+01:00", 1_769_860_800), ("1969-12-31 23:59:59z", -1),
    ("0000-03-01T00:00:00Z", -62_162_035_200), ("9999-12-31T23:59:59Z", 253_402_300_799),
  ]) func times(text: String, seconds: Int64) {
    #expect(read(text, .time) == .time(seconds))
    #expect(Timestamp.read(Timestamp.write(seconds)) == seconds)
  }

  @Test(arguments: [
    "2026-01-31", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z",
    "2026-01-01T00:00:00",
    "2026-01-01T00:00:00+1:00", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00ZZ", "now",
  ]) func noTimes(text: String) { #expect(read(text, .time) == nil) }

  @Test func keysHaveTheRightLength() {
    #expect(read("00ff, AB", .hexadecimal(lengths: [])) == .bytes([[0, 255], [0xAB]]))
    #expect(read("00f", .hexadecimal(lengths: [])) == nil)
    #expect(read("0g", .hexadecimal(lengths: [])) == nil)
    #expect(read("00ff", .hexadecimal(lengths: [16, 24, 32])) == nil)
  }

  @Test func nearestNames() {
    let names = NearestName(["IMGPROXY_QUALITY", "IMGPROXY_TTL", "IMGPROXY_TIMEOUT"])
    #expect(names.nearest(to: "IMGPROXY_QUALTIY") == "IMGPROXY_QUALITY")
    #expect(names.nearest(to: "IMGPROXY_TLL") == "IMGPROXY_TTL")
    #expect(names.nearest(to: "SOMETHING_ELSE_ENTIRELY") == nil)
    #expect(NearestName.distance(Array("abcd".utf8), Array("acbd".utf8)) == 1)
    #expect(NearestName.distance(Array("".utf8), Array("abc".utf8)) == 3)
  }
}
