@testable import CalotypeLoading

/// Reads the bytes as a `Content-Range`, and ranges made of them.
enum ContentRangeTarget {
  static func run(_ input: FuzzInput) throws {
    let text = String(decoding: input.bytes, as: UTF8.self)
    for text in [text, "bytes " + text] { try check(text) }
    var numbers = NumberReader(input.bytes)
    let (first, last, total) = (
      numbers.integer(UInt64.self), numbers.integer(UInt64.self), numbers.integer(UInt64.self)
    )
    // As large as they come, and small enough to mean something.
    for shift in [0, 1, Int(input.first % 64)] as [Int] {
      let (first, last, total) = (first >> shift, last >> shift, total >> shift)
      let isRange = first <= last && last < UInt64(Int.max)
      let known = try check("bytes \(first)-\(last)/\(total)")
      try FuzzFailure.unless(
        (known != nil) == (isRange && last < total && total <= Int.max), "\(first)-\(last)/\(total)")
      try FuzzFailure.unless((try check("bytes \(first)-\(last)/*") != nil) == isRange, "\(first)-\(last)/*")
      try FuzzFailure.unless((try check("bytes */\(total)") != nil) == (total <= Int.max), "*/\(total)")
    }
  }

  @discardableResult
  private static func check(_ text: String) throws -> ContentRange? {
    guard let range = ContentRange(text) else { return nil }
    let again: String
    switch range {
    case .bytes(let bytes, let total):
      try FuzzFailure.unless(bytes.lowerBound >= 0 && !bytes.isEmpty, "\(text): the range \(bytes)")
      try FuzzFailure.unless(bytes.upperBound <= total ?? .max, "\(text): \(bytes) of \(total as Any)")
      again = "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(total.map(String.init) ?? "*")"
    case .unsatisfied(let total):
      try FuzzFailure.unless(total >= 0, "\(text): a length of \(total)")
      again = "bytes */\(total)"
    }
    try FuzzFailure.unless(ContentRange(again) == range, "\(text) became \(again)")
    return range
  }
}
