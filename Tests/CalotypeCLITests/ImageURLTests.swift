import FoundationEssentials
import Glibc
import Testing

@Suite("Command: url", .timeLimit(.minutes(2)))
struct ImageURLTests {
  /// A pair of keys, and a signature that another implementation made with it: hmac of Python.
  private static let keys = [
    "IMGPROXY_KEY": "943b421c9eb07c830af81030552c86009268de4e532ba2ee2eab8247c6da0881",
    "IMGPROXY_SALT": "520f986b998545b4785e0defbc4f3c1203f22de2374a3d53cb7a7fe9fea309c5",
  ]
  private static let path =
    "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1wbGUuY29tL2ltYWdlcy9jdXJpb3NpdHkuanBn.png"
  private static let signed = "/4e9HplX3xN8DgbCf3GPatgfy42W8pLOfGHxXdnPxeHw" + path

  @Test func sign() throws {
    let run = try Tool.run("url", "sign", Self.path, environment: Self.keys)
    #expect(run.status == 0 && run.output == Self.signed + "\n" && run.errors.isEmpty, "\(run)")
    let json = try Tool.run("url", "sign", "--json", Self.path, "/nonsense:1/plain/a", environment: Self.keys)
    #expect(json.status == 1 && json.errors.isEmpty)
    let lines = try json.jsonLines()
    #expect(lines.map(\.error?.code) == [nil, "unknownOption"])
  }

  @Test func parse() throws {
    let run = try Tool.run("url", "parse", "https://img.example" + Self.signed, environment: Self.keys)
    #expect(run.status == 0, "\(run)")
    let words = run.output.split(separator: "\n").map {
      $0.split(separator: " ").prefix(5).joined(separator: " ")
    }
    #expect(words[0] == "signature valid of the key")
    #expect(words[1] == "resize fill 300 400 0")
    #expect(words[2].hasPrefix("gravity sm"))
    #expect(words[3] == "format png of the result")
    #expect(words[4] == "source http://example.com/images/curiosity.jpg base64")
    // One bit of the path.
    let other = try Tool.run(
      "url", "parse", "--json", Self.signed.replacing("300", with: "301"), environment: Self.keys)
    #expect(other.status == 1 && other.output.contains("\"signature\":\"invalid\""), "\(other)")
    #expect(try other.jsonLines().map(\.error?.code) == ["invalidSignature"])
    #expect(try Tool.run("url", "parse", Self.signed).output.hasPrefix("signature           not checked"))
  }

  @Test func keysOfFiles() throws {
    let folder = try Tool.Folder()
    var environment: [String: String] = [:]
    for (name, value) in Self.keys {
      try (value + "\n").write(toFile: folder.file(name), atomically: false, encoding: .utf8)
      chmod(folder.file(name), 0o600)
      environment[name.replacing("IMGPROXY", with: "CALOTYPE") + "_FILE"] = folder.file(name)
    }
    #expect(try Tool.run("url", "sign", Self.path, environment: environment).output == Self.signed + "\n")
    chmod(folder.file("IMGPROXY_KEY"), 0o666)
    let run = try Tool.run("url", "sign", Self.path, environment: environment)
    #expect(run.status == 2 && run.errors.contains("chmod"), "\(run)")
  }

  @Test func noKeys() throws {
    let run = try Tool.run("url", "sign", Self.path)
    #expect(run.status == 2 && run.errors.contains("CALOTYPE_KEY"), "\(run)")
    let bad = try Tool.run(
      "url", "sign", Self.path, environment: ["CALOTYPE_KEY": "secret!", "CALOTYPE_SALT": "00"])
    #expect(bad.status == 2 && !bad.errors.contains("secret!"), "\(bad)")
  }

  @Test func hostileText() throws {
    let run = try Tool.run("url", "parse", "/unsafe/fn:%1B%5B31m/plain/http://a/\u{202E}b")
    #expect(
      run.output.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0.value < 0x7F }, "\(run)")
  }
}
