@testable import CalotypeTiers
import FoundationEssentials

/// Reads the bytes as the documents of a bucket: as XML, as a page of a listing, and as an error.
enum BucketDocumentTarget {
  static func run(_ input: FuzzInput) throws {
    try readEvents(input.bytes)
    let document = ErrorDocument(input.bytes)
    try FuzzFailure.unless(
      document.code.utf8.count <= 64 && document.message.unicodeScalars.count <= 200,
      "a long error: \(document)")
    try FuzzFailure.unless(
      !(document.code + document.message).unicodeScalars.contains { $0.value < 32 || $0.value == 127 },
      "a control character in \(document)")
    let prefix = input.first % 2 == 0 ? "" : "k"
    let start = input.second % 2 == 0 ? nil : "k1"
    guard let page = try? BucketListing(input.bytes, prefix: prefix, after: start) else { return }
    try FuzzFailure.unless(page.objects.count <= BucketListing.maxCount, "\(page.objects.count) objects")
    try FuzzFailure.unless(!page.isTruncated || !page.objects.isEmpty, "an endless listing")
    var previous = start
    for object in page.objects {
      try FuzzFailure.unless(
        object.key.utf8.starts(with: prefix.utf8) && object.size >= 0 && !object.key.isEmpty
          && object.key.utf8.count <= BucketListing.maxKeyLength
          && previous.map { $0.utf8.lexicographicallyPrecedes(object.key.utf8) } ?? true,
        "an object that was not asked for: \(object)")
      previous = object.key
    }
  }

  /// Tags match, and all limits hold.
  private static func readEvents(_ bytes: [UInt8]) throws {
    guard var reader = try? XMLReader(bytes) else { return }
    var open: [String] = []
    var count = 0
    do {
      while let event = try reader.next() {
        count += 1
        try FuzzFailure.unless(count <= bytes.count + 1, "more parts than bytes")
        switch event {
        case .start(let name):
          open.append(name)
          try FuzzFailure.unless(open.count <= XMLReader.maxDepth + 1, "too deep")
        case .end(let name): try FuzzFailure.unless(open.popLast() == name, "an end without a start: \(name)")
        case .text(let text):
          try FuzzFailure.unless(
            !open.isEmpty && text.utf8.count <= XMLReader.maxTextLength, "a text: \(text)")
        }
      }
      try FuzzFailure.unless(open.isEmpty, "it ends early")
    } catch is XMLReader.Malformed {
      return
    }
  }
}
