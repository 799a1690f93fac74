import CalotypeCaching
import FoundationEssentials
import Glibc

/// Stores records for ever, until somebody kills it: `CacheWriter FOLDER SEED`.
///
/// Four tasks own four keys each and number their records upwards from the seed. The content of a record follows
/// from its key and number. After each store the index of the key and the number go to standard output, eight
/// bytes each.
///
/// `CacheWriter FOLDER SEED shared` stores few contents under all keys, so that records share them.
/// `CacheWriter FOLDER lock` takes the lock of the folder, says so by a line and does nothing until it is killed.
/// `CacheWriter FOLDER try` reads `key 0`, asks for statistics, stores `key 1`, and writes what came of each.
@main
struct CacheWriter {
  static func main() async {
    let arguments = CommandLine.arguments
    if arguments.count == 3, arguments[2] == "lock" { takeLock(arguments[1]) }
    if arguments.count == 3, arguments[2] == "try" { return await tryEverything(arguments[1]) }
    let isShared = arguments.count == 4 && arguments[3] == "shared"
    guard arguments.count == 3 || isShared, let seed = UInt64(arguments[2]) else { exit(2) }
    var configuration = DiskCache.Configuration()
    configuration.folder = URL(filePath: arguments[1], directoryHint: .isDirectory)
    let cache = DiskCache(configuration)
    await withTaskGroup { group in
      for task in 0..<4 as Range<UInt64> {
        group.addTask {
          await write(keys: task * 4..<task * 4 + 4, from: seed, isShared: isShared, to: cache)
        }
      }
    }
  }

  static func takeLock(_ folder: String) -> Never {
    let descriptor = open("\(folder)/v2/lock", O_RDWR)
    guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else { exit(4) }
    print("locked")
    fflush(nil)
    while true { pause() }
  }

  static func tryEverything(_ folder: String) async {
    let cache = DiskCache(.init(folder: URL(filePath: folder, directoryHint: .isDirectory)))
    func attempt(_ name: String, _ body: () async throws -> String) async {
      do {
        print(name, try await body())
      } catch {
        print(name, (error as? CachingError)?.code ?? "\(error)")
      }
    }
    await attempt("read") { try await cache.read(CacheKey("key 0")) == nil ? "nothing" : "found" }
    await attempt("statistics") { "\(try await cache.statistics().count)" }
    await attempt("store") {
      try await cache.store(Data([1]), for: CacheKey("key 1"))
      return "stored"
    }
  }

  static func write(keys: Range<UInt64>, from seed: UInt64, isShared: Bool, to cache: DiskCache) async {
    for number in seed... {
      for index in keys {
        do {
          try await cache.store(
            isShared ? content(index: 0, number: number % 4) : content(index: index, number: number),
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
