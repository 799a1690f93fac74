import Foundation
import Testing

/// The published and derived cases of imgproxy that concern responses, from the file beside the checkout if it is there.
struct Vector: CustomTestStringConvertible, Sendable {
  let id: String
  let group: String
  let input: String
  let expected: String
  var testDescription: String { id }

  /// `CALOTYPE_CONFORMANCE`, or `shared/conformance/imgproxy-cases.tsv` beside the checkout.
  static let file: URL = {
    if let path = ProcessInfo.processInfo.environment["CALOTYPE_CONFORMANCE"] { return URL(filePath: path) }
    return URL(filePath: #filePath).appending(path: "../../../../../shared/conformance/imgproxy-cases.tsv")
      .standardized
  }()

  static let all: [Vector] = {
    guard let data = try? Data(contentsOf: file) else { return [] }
    return String(decoding: data, as: UTF8.self).split(separator: "\n").dropFirst().compactMap { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      return fields.count < 4
        ? nil : Vector(id: fields[0], group: fields[1], input: fields[2], expected: fields[3])
    }
  }()

  static func group(_ names: String...) -> [Vector] { all.filter { names.contains($0.group) } }

  /// Returns the text behind a mark, up to a space, comma or semicolon.
  func word(after mark: String) -> String? {
    guard let range = input.firstRange(of: mark) else { return nil }
    return String(input[range.upperBound...].prefix { $0 != " " && $0 != "," && $0 != ";" })
  }
}
