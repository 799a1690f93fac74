@testable import CalotypeLoading
import FoundationEssentials

/// Parses the bytes as a data URL, and makes one of them.
enum DataURLTarget {
  static func run(_ input: FuzzInput) throws {
    let limit = input.choices.contains(.shrinks) ? Int(input.first) : 1 << 20
    let text = String(decoding: input.bytes, as: UTF8.self)
    for text in [text, "data:" + text, "data:;base64," + text] {
      guard let url = try? DataURL(text, byteLimit: limit) else { continue }
      try FuzzFailure.unless(url.data.count <= limit, "\(url.data.count) bytes, at most \(limit) are allowed")
      try FuzzFailure.unless(!url.mediaType.isEmpty, "no media type")
    }
    let data = Data(input.bytes)
    let base64 = "data:image/png;base64," + data.base64EncodedString()
    let percent = "data:," + input.bytes.map { "%" + String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
    for text in [base64, percent] {
      let url = try? DataURL(text, byteLimit: data.count)
      try FuzzFailure.unless(url?.data == data, "\(text) is not what was put in")
      guard !data.isEmpty else { continue }
      let refused = try? DataURL(text, byteLimit: data.count - 1)
      try FuzzFailure.unless(refused == nil, "\(text) is larger than allowed")
    }
  }
}
