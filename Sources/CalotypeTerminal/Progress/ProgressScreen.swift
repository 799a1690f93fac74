/// The progress of a batch as text: a line for each item under way, and one for all. A value that does no I/O.
struct ProgressScreen {
  private struct Item {
    let label: String
    var received = 0
    var expected: Int?
    var speed = TransferSpeed()
  }

  /// Items in all, when that is known.
  var total: Int?
  var done = 0
  /// The text at the end of the line for all items.
  var label = ""
  /// Bytes of items that are done.
  var bytes = 0
  private var items: [Int: Item] = [:]
  private var order: [Int] = []
  private var speed = TransferSpeed()

  init(total: Int?) { self.total = total }

  mutating func begin(_ id: Int, label: String) {
    guard items[id] == nil else { return }
    items[id] = Item(label: label)
    order.append(id)
  }

  mutating func update(_ id: Int, received: Int, expected: Int?, at now: ContinuousClock.Instant) {
    guard var item = items[id] else { return }
    // A transfer that is begun again has fewer.
    if received < item.received { item.speed = TransferSpeed() }
    (item.received, item.expected) = (received, expected)
    item.speed.note(received, at: now)
    items[id] = item
    speed.note(allBytes, at: now)
  }

  mutating func finish(_ id: Int) {
    done += 1
    guard let item = items.removeValue(forKey: id) else { return }
    bytes += item.received
    order.removeAll { $0 == id }
  }

  /// Bytes of all items, done or under way.
  private var allBytes: Int {
    items.values.reduce(bytes) { $0 + $1.received }
  }

  // MARK: Lines

  /// Returns the lines to show, at most `rows`. Each is narrower than `columns`, so that terminals do not break it.
  func lines(columns: Int, rows: Int, at now: ContinuousClock.Instant) -> [String] {
    let width = max(1, columns - 1)
    let shown = width < 24 ? [] : order.prefix(max(0, min(8, rows - 2)))
    return shown.compactMap { id in items[id].map { line(of: $0, width: width, at: now) } }
      + [totalLine(width: width, at: now)]
  }

  private func line(of item: Item, width: Int, at now: ContinuousClock.Instant) -> String {
    let share = item.expected.map { $0 > 0 ? min(1, Double(item.received) / Double($0)) : 0 }
    let percent = (share.map { "\(Int($0 * 100)) %" } ?? "").leftPadded(to: 5)
    var bytes = ""
    if item.received > 0 || item.expected != nil {
      bytes = Formatting.bytes(item.received)
      if let expected = item.expected { bytes += " of \(Formatting.bytes(expected))" }
    }
    let speed = item.speed.value(item.received, at: now).map { Formatting.bytes($0) + "/s" } ?? ""
    let numbers = "\(bytes.leftPadded(to: 19))  \(speed.leftPadded(to: 10))"
    let bar = share.map { Self.bar($0, width: 12) } ?? String(repeating: " ", count: 12)
    let rest =
      width >= 68 ? "\(bar) \(percent) \(numbers)" : width >= 50 ? "\(percent) \(numbers)" : percent
    let room = width - rest.count - 2
    return " " + TerminalText.tail(of: item.label, cells: room).padded(to: room) + " " + rest
  }

  private func totalLine(width: Int, at now: ContinuousClock.Instant) -> String {
    let received = allBytes
    var parts: [String] = []
    if let total {
      // Items under way count by their share, so that the bar also moves for one large file.
      let underWay = items.values.reduce(0.0) { sum, item in
        guard let expected = item.expected, expected > 0 else { return sum }
        return sum + min(1, Double(item.received) / Double(expected))
      }
      let share = min(1, (Double(done) + underWay) / Double(max(1, total)))
      if width >= 50 { parts.append(Self.bar(share, width: 28)) }
      parts.append("\(done)/\(total)")
    } else {
      parts.append("\(done) done")
    }
    if received > 0 { parts.append(Formatting.bytes(received).leftPadded(to: 8)) }
    if let speed = speed.value(received, at: now), !items.isEmpty {
      parts.append(Formatting.bytes(speed) + "/s")
    }
    let text = " " + parts.joined(separator: "  ")
    guard text.count <= width else { return String(text.prefix(width)) }
    return label.isEmpty
      ? text : text + "  " + TerminalText.tail(of: label, cells: width - text.count - 2).text
  }

  private static func bar(_ share: Double, width: Int) -> String {
    let filled = Int((share * Double(width)).rounded(.down))
    return String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
  }
}
