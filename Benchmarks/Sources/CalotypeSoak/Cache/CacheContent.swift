import CalotypeCaching
import FoundationEssentials
import Glibc

/// Records whose bytes follow from their key and a number, so that any of them can be checked.
enum CacheContent {
  static func key(_ index: Int) -> CacheKey { CacheKey("key \(index)") }

  /// 0 to `limit` bytes; three in four records are much shorter.
  static func data(_ index: Int, _ number: Int, limit: Int) -> Data {
    let seed = (UInt64(number) << 12 | UInt64(index)) &* 0x9E37_79B9_7F4A_7C15
    let size = Int((seed >> 20) % UInt64(limit + 1)) >> (seed >> 60 & 3 == 0 ? 0 : 5)
    var random = SplitMix(seed: Int(seed >> 2))
    let words = (0..<(size + 7) / 8).map { _ in random.next() }
    return words.withUnsafeBytes { Data($0.prefix(size)) }
  }

  static func metadata(_ index: Int, _ number: Int) -> RecordMetadata {
    RecordMetadata(tags: ["\(index % 4)"], user: ["number": "\(number)"])
  }

  /// The number of a record, `nil` for no record.
  ///
  /// - Throws: ``WrongRecord`` when its bytes are not those.
  static func number(of record: CacheRecord?, _ index: Int, limit: Int) throws -> Int? {
    guard let record else { return nil }
    guard let number = record.metadata.user["number"].flatMap({ Int($0) }),
      record.data == data(index, number, limit: limit), record.metadata == metadata(index, number)
    else { throw WrongRecord(description: "key \(index) reads as \(record.data.count) wrong bytes") }
    return number
  }

  /// Bytes and number of all records in a folder, and bytes of the one that is being written.
  static func walk(_ folder: String) -> (bytes: Int, count: Int, unfinished: Int) {
    let files = FileManager.default
    func size(_ path: String) -> Int? {
      var status = stat()
      return lstat(path, &status) == 0 ? Int(status.st_size) : nil
    }
    var (bytes, count) = (0, 0)
    for name in (try? files.contentsOfDirectory(atPath: "\(folder)/v2")) ?? [] where name.utf8.count == 2 {
      for record in (try? files.contentsOfDirectory(atPath: "\(folder)/v2/\(name)")) ?? [] {
        // A record may vanish between the two calls.
        guard let size = size("\(folder)/v2/\(name)/\(record)") else { continue }
        bytes += size
        count += 1
      }
    }
    let unfinished = size("\(folder)/v2/tmp/new") ?? 0
    return (bytes, count, unfinished)
  }
}

/// A record that nobody stored, or anything else that must not be.
struct WrongRecord: Error, CustomStringConvertible {
  let description: String
}

/// A folder for caches, removed at the end.
final class CacheFolder: Sendable {
  let path: String

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "calotype-soak-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    path = folder.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var url: URL { URL(filePath: path, directoryHint: .isDirectory) }
}
