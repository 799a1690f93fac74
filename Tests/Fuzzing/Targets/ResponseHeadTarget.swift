@testable import CalotypeLoading
import FoundationEssentials
import HTTPTypes

/// Feeds the bytes as header lines of responses.
enum ResponseHeadTarget {
  static func run(_ input: FuzzInput) throws {
    var parser = ResponseHeadParser()
    var isFinal = false
    for line in input.bytes.split(separator: 10, omittingEmptySubsequences: false) {
      // Lines in memory of their own, so that reading on is noticed.
      let event = Array(line).withUnsafeBytes { parser.line($0) }
      if event == .tooLarge { return }
      if event == .final {
        try FuzzFailure.unless(!isFinal, "a second final head")
        isFinal = true
      }
    }
    try FuzzFailure.unless(parser.isFinal == isFinal, "final without saying so")
    guard let url = URL(string: "http://localhost/") else { return }
    let head = ResponseHead(url: url, status: parser.status, headers: parser.headers)
    if let length = head.expectedLength { try FuzzFailure.unless(length >= 0, "a length of \(length)") }
    _ = head.contentType
    _ = head.redirectLocation
    for field in parser.headers {
      try FuzzFailure.unless(
        !field.value.utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 }, "a field of two lines")
    }
  }
}
