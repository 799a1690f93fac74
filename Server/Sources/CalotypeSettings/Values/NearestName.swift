/// Finds the known name that an unknown one was probably meant to be.
struct NearestName {
  private let names: [[UInt8]]

  init(_ names: [String]) { self.names = names.map { Array($0.utf8) } }

  /// The known name with the fewest edits, if they are at most a third of its letters, or `nil`. Time is bounded: names of more than
  /// 96 bytes have none.
  func nearest(to name: String) -> String? {
    let text = Array(name.utf8)
    guard (2...96).contains(text.count) else { return nil }
    var best: (distance: Int, name: [UInt8])?
    for known in names {
      let limit = min(max(1, known.count / 3), (best?.distance ?? 9) - 1)
      guard limit >= 0, abs(known.count - text.count) <= limit else { continue }
      if let distance = Self.distance(text, known, limit: limit) { best = (distance, known) }
    }
    return best.map { String(decoding: $0.name, as: UTF8.self) }
  }

  /// The number of letters that are inserted, deleted, replaced or swapped with their neighbour, or `nil` if it is above `limit`.
  static func distance(_ left: [UInt8], _ right: [UInt8], limit: Int = .max) -> Int? {
    var before: [Int] = []
    var last: [Int] = []
    var row = Array(0...right.count)
    for i in 0..<left.count {
      before = last
      last = row
      row = [i + 1]
      for j in 0..<right.count {
        var value = min(last[j] + (left[i] == right[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
          value = min(value, before[j - 1] + 1)
        }
        row.append(value)
      }
      // No later row has less than the least of two neighbours.
      if min(row.min() ?? 0, last.min() ?? 0) > limit { return nil }
    }
    return row[right.count] <= limit ? row[right.count] : nil
  }
}
