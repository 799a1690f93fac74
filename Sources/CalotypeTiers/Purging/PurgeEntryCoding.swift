package import CalotypeCaching
package import FoundationEssentials

/// The JSON of entries and snapshots of the log of purges. All input is hostile: lengths are checked before it is parsed, and
/// numbers and texts after.
package enum PurgeEntryCoding {
  /// The longest entry, in bytes.
  package static let entryLimit = 64 << 10
  /// The longest snapshot, in bytes.
  package static let snapshotLimit = 32 << 20

  /// One selection: the kind, its text, and the tag of `tagged`.
  private struct Selection: Codable {
    var k: String
    var t: String
    var g: String?

    init(_ selection: CacheSelection) {
      switch selection {
      case .source(let text): (k, t) = ("source", text)
      case .tagged(let source, let tag): (k, t, g) = ("tagged", source, tag)
      case .sourcePrefix(let text): (k, t) = ("prefix", text)
      case .host(let text): (k, t) = ("host", text)
      case .origin(let text): (k, t) = ("origin", text)
      case .tag(let text): (k, t) = ("tag", text)
      }
    }

    var selection: CacheSelection? {
      switch k {
      case "source": .source(t)
      case "tagged": g.map { .tagged(source: t, tag: $0) }
      case "prefix": .sourcePrefix(t)
      case "host": .host(t)
      case "origin": .origin(t)
      case "tag": .tag(t)
      default: nil
      }
    }
  }

  private struct Entry: Codable {
    var v = 1
    /// Without it, all records.
    var s: Selection?
    var m: String
    /// Milliseconds since 1970.
    var at: Int
  }

  private struct Mark: Codable {
    var s: Selection
    var stale: Int?
    var gone: Int?
  }

  private struct Snapshot: Codable {
    var v = 1
    var position: Int
    var stale: Int
    var gone: Int
    var marks: [Mark]
  }

  /// Returns the bytes of an entry.
  ///
  /// - Throws: `CachingError.failed(operation:reason:isRetryable:)` for a selection that is too long.
  package static func encode(_ purge: SharedPurge) throws(CachingError) -> Data {
    let milliseconds = (purge.time.timeIntervalSince1970 * 1_000).rounded()
    var entry = Entry(m: purge.mode.rawValue, at: Int(exactly: milliseconds) ?? 0)
    if case .selection(let selection) = purge.scope { entry.s = Selection(selection) }
    guard let data = try? encoder.encode(entry), data.count <= entryLimit else {
      throw .failed(
        operation: "purge", reason: "the selection is longer than \(entryLimit) bytes", isRetryable: false)
    }
    return data
  }

  /// Reads an entry. One that cannot be read, as of a later version, purges everything: too much is right, too little is
  /// not.
  package static func decode(_ data: Data) -> SharedPurge {
    guard data.count <= entryLimit, let entry = try? JSONDecoder().decode(Entry.self, from: data),
      entry.v == 1, let mode = SharedPurge.Mode(rawValue: entry.m)
    else { return SharedPurge(.all, mode: .stale, time: Date(timeIntervalSince1970: 0)) }
    let time = Date(timeIntervalSince1970: Double(entry.at) / 1_000)
    guard let selection = entry.s else { return SharedPurge(.all, mode: mode, time: time) }
    guard let known = selection.selection else { return SharedPurge(.all, mode: mode, time: time) }
    return SharedPurge(.selection(known), mode: mode, time: time)
  }

  /// Returns the bytes of a table without missing entries; `nil` when they are too many.
  package static func snapshot(of table: PurgeTable) -> Data? {
    let marks = table.contents.map { selection, marks in
      Mark(
        s: Selection(selection), stale: marks.stale > 0 ? marks.stale : nil,
        gone: marks.gone > 0 ? marks.gone : nil)
    }
    let snapshot = Snapshot(
      position: table.position, stale: table.floor.stale, gone: table.floor.gone, marks: marks)
    guard let data = try? encoder.encode(snapshot), data.count <= snapshotLimit else { return nil }
    return data
  }

  /// Reads a snapshot; `nil` when it is damaged, or not that of `position`.
  package static func table(
    _ data: Data, at position: Int, limits: PurgeTable.Limits = .init()
  ) -> PurgeTable? {
    guard data.count <= snapshotLimit, let snapshot = try? JSONDecoder().decode(Snapshot.self, from: data),
      snapshot.v == 1, snapshot.position == position, (0...PurgeTable.highestNumber).contains(position)
    else { return nil }
    let allowed = 0...position
    guard allowed.contains(snapshot.stale), allowed.contains(snapshot.gone) else { return nil }
    var contents: [(selection: CacheSelection, marks: PurgeMarks)] = []
    for mark in snapshot.marks {
      let marks = PurgeMarks(stale: mark.stale ?? 0, gone: mark.gone ?? 0)
      guard allowed.contains(marks.stale), allowed.contains(marks.gone), let selection = mark.s.selection
      else {
        return nil
      }
      contents.append((selection, marks))
    }
    return PurgeTable(
      contents: contents, floor: PurgeMarks(stale: snapshot.stale, gone: snapshot.gone), position: position,
      limits: limits)
  }

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
