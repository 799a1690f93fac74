import CalotypeCaching
import FoundationEssentials
import Glibc

/// Stores records for ever, until somebody kills it: `CacheWriter FOLDER SEED`.
///
/// Four tasks own four keys each and number their records upwards from the seed. The content of a record follows
/// from its key and number. After each store the index of the key and the number go to standard output, eight
/// bytes each.
@main
struct CacheWriter {
  static func main() async {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let seed = UInt64(arguments[2]) else { exit(2) }
    var configuration = DiskCache.Configuration()
    configuration.folder = URL(filePath: arguments[1], directoryHint: .isDirectory)
    let cache = DiskCache(configuration)
    await withTaskGroup { group in
      for task in 0..<4 as Range<UInt64> {
        group.addTask { await write(keys: task * 4..<task * 4 + 4, from: seed, to: cache) }
      }
    }
  }

  static func write(keys: Range<UInt64>, from seed: UInt64, to cache: DiskCache) async {
    for number in seed... {
      for index in keys {
        do {
          try await cache.store(
            content(index: index, number: number),
            metadata: RecordMetadata(user: ["number": String(number)]), for: CacheKey("key \(index)"))
        } catch {
          exit(3)
        }
        withUnsafeBytes(of: (index, number)) { raw in
          _ = Glibc.write(STDOUT_FILENO, raw.baseAddress, raw.count)
        }
      }
    }
  }

  /// 0 to 127 KiB that depend on both.
  static func content(index: UInt64, number: UInt64) -> Data {
    let factor = (number << 8 | index) &* 0x9E37_79B9_7F4A_7C15
    let block = (1...128 as ClosedRange<UInt64>).map { $0 &* factor }
    let data = block.withUnsafeBytes { Data($0) }
    var content = Data(capacity: 128 << 10)
    for _ in 0..<factor >> 57 { content.append(data) }
    return content
  }
}
