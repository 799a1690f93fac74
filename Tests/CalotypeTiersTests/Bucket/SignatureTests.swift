import CalotypeSupport
import Foundation
import HTTPTypes
import Testing

@testable import CalotypeTiers

/// Signatures against the examples of AWS, and against botocore.
@Suite("Signatures")
struct SignatureTests {
  private static let empty = PayloadHash.empty
  private static let day = SigningTime(Date(timeIntervalSince1970: 1_369_353_600))

  /// Amazon S3 API Reference, "Signature Calculations for the Authorization Header", the four examples.
  @Test func examplesOfAWS() throws {
    let keys = try BucketKeys(
      accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    let signer = RequestSigner(keys, region: "us-east-1")
    func signature(
      _ method: String, _ path: String, _ query: [(String, String)] = [], _ fields: HTTPFields = [:],
      _ payload: PayloadHash = SignatureTests.empty
    ) -> String {
      let request = RequestSigner.Request(
        method: method, host: "examplebucket.s3.amazonaws.com", path: path,
        query: query.map { (name: $0.0, value: $0.1) }, fields: fields, payload: payload)
      return Self.signature(signer.sign(request, at: Self.day))
    }
    #expect(Self.day.text == "20130524T000000Z")
    #expect(
      signature("GET", "/test.txt", [], [.range: "bytes=0-9"])
        == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    #expect(
      signature(
        "PUT", "/test$file.text", [],
        [.date: "Fri, 24 May 2013 00:00:00 GMT", .known("x-amz-storage-class"): "REDUCED_REDUNDANCY"],
        .of([Data("Welcome to Amazon S3.".utf8)]))
        == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
    #expect(
      signature("GET", "/", [("lifecycle", "")])
        == "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
    #expect(
      signature("GET", "/", [("max-keys", "2"), ("prefix", "J")])
        == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
  }

  private struct Row: Decodable {
    var method: String
    var host: String
    var path: String
    var query: [[String]]
    var fields: [String: String]
    var payload: String
    var seconds: Int
    var time: String
    var token: String?
    var accessKey: String
    var secretKey: String
    var region: String
    var signature: String
  }

  /// 300 random requests; more from the file that CALOTYPE_SIGNATURES names (Tests/Tiers/signatures.py).
  @Test func randomRequestsEqualBotocore() throws {
    let fixture = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures/Tiers/signatures.jsonl")
    let file = ProcessInfo.processInfo.environment["CALOTYPE_SIGNATURES"].map { URL(filePath: $0) } ?? fixture
    let decoder = JSONDecoder()
    var (count, wrong) = (0, 0)
    for line in try Data(contentsOf: file).split(separator: 10) {
      let row = try decoder.decode(Row.self, from: Data(line))
      let keys = try BucketKeys(accessKey: row.accessKey, secretKey: row.secretKey, sessionToken: row.token)
      var fields = HTTPFields()
      for (name, value) in row.fields { fields[.known(name)] = value }
      let request = RequestSigner.Request(
        method: row.method, host: row.host, path: row.path,
        query: row.query.map { (name: $0[0], value: $0[1]) },
        fields: fields, payload: row.payload == "UNSIGNED-PAYLOAD" ? .unsigned : .sha256(row.payload))
      let time = SigningTime(Date(timeIntervalSince1970: Double(row.seconds)))
      let signed = RequestSigner(keys, region: row.region).sign(request, at: time)
      count += 1
      if Self.signature(signed) != row.signature || time.text != row.time {
        wrong += 1
        if wrong < 4 { Issue.record("\(row.method) \(row.path) \(row.query)") }
      }
    }
    #expect(count >= 300)
    #expect(wrong == 0)
  }

  @Test func queriesAreSortedAfterEscaping() {
    // "a+" comes before "a." as text, and "a%2B" before "a." as well; "aé" behind "az", but "a%C3" before it.
    let query = PercentEscape.query([("az", "1"), ("aé", "2"), ("a b", "3"), ("a", "/"), ("a", "")])
    #expect(String(decoding: query, as: UTF8.self) == "a=&a=%2F&a%20b=3&a%C3%A9=2&az=1")
  }

  @Test func aSignerSignsOnManyDays() throws {
    let keys = try BucketKeys(accessKey: "AK", secretKey: "secret")
    let one = RequestSigner(keys, region: "r")
    let request = RequestSigner.Request(method: "GET", host: "h", path: "/k")
    for day in [0, 1, 0, 365, 20_000, 1] {
      let time = SigningTime(Date(timeIntervalSince1970: Double(day) * 86_400 + 5))
      let other = RequestSigner(keys, region: "r").sign(request, at: time)
      #expect(one.sign(request, at: time).fields == other.fields)
    }
  }

  @Test func timesOfAllYears() {
    #expect(SigningTime(Date(timeIntervalSince1970: -1)).text == "19691231T235959Z")
    #expect(SigningTime(Date(timeIntervalSince1970: 951_782_400)).text == "20000229T000000Z")
    #expect(SigningTime(Date(timeIntervalSince1970: 4_107_542_399.9)).text == "21000228T235959Z")
    #expect(SigningTime(Date(timeIntervalSince1970: -1e300)).text == "00000101T000000Z")
    #expect(SigningTime(Date(timeIntervalSince1970: 1e300)).text == "99991231T235959Z")
  }

  @Test func hashesAreChosenByLengthAndTLS() {
    let large = [Data(count: 1 << 20), Data(count: 1)]
    #expect(PayloadHash.chosen(for: large, isSecure: true) == .unsigned)
    #expect(PayloadHash.chosen(for: large, isSecure: false) == .of([Data(count: (1 << 20) + 1)]))
    #expect(PayloadHash.chosen(for: [Data(count: 1 << 20)], isSecure: true) != .unsigned)
    #expect(
      PayloadHash.empty.text == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  @Test func descriptionsShowNoSecrets() throws {
    let keys = try BucketKeys(accessKey: "AKIDEXAMPLE", secretKey: "topsecret", sessionToken: "tokentoken")
    var dumped = ""
    dump(keys, to: &dumped)
    for text in ["\(keys)", String(reflecting: keys), dumped, "\(Optional(keys) as Any)", "\([keys])"] {
      #expect(!text.contains("topsecret") && !text.contains("tokentoken") && !text.contains("AKIDEXAMPLE"))
    }
    for part in ["", "a b", "a\nb", String(repeating: "a", count: 20_000)] {
      #expect(throws: BucketError.self) { try BucketKeys(accessKey: "AK", secretKey: part) }
    }
  }

  private static func signature(_ signed: RequestSigner.Signed) -> String {
    String(signed.fields[.authorization]?.split(separator: "=").last ?? "")
  }
}
