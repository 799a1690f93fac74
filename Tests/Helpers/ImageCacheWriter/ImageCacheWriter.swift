import Calotype
import FoundationEssentials
import Glibc

/// Stores and queries images for ever, until it is killed: `ImageCacheWriter FOLDER SEED`.
///
/// Eight tasks own eight keys each and number their images upwards from the seed. After each store, a task queries
/// another key. It reports by three words of 32 bits on standard output: what happened, the key and the number. 0 is an
/// image that was stored, 1 one that was also flushed, 2 one that a query should not have returned.
@main
struct ImageCacheWriter {
  static func main() async {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let seed = UInt32(arguments[2]) else { exit(2) }
    // Other tests run meanwhile.
    _ = nice(10)
    let folder = URL(filePath: arguments[1], directoryHint: .isDirectory)
    // So little memory that most queries read files.
    let cache = ImageCache(memory: MemoryCache(byteLimit: 32 << 10), disk: DiskCache(.init(folder: folder)))
    await withTaskGroup { group in
      for task in 0..<8 as Range<UInt32> {
        group.addTask { await work(keys: task * 8..<task * 8 + 8, from: seed, cache) }
      }
    }
  }

  static func work(keys: Range<UInt32>, from seed: UInt32, _ cache: ImageCache) async {
    do {
      for number in seed... {
        for key in keys {
          try await cache.store(badge(key, number), for: "badge \(key)")
          report(0, key, number)
          let other = UInt32.random(in: 0..<64)
          if let image = try await cache.image(for: "badge \(other)") {
            let (key, found) = read(image)
            // Keys of its own have no later number.
            if key != other || found.map({ keys.contains(other) && $0 > number }) ?? true {
              report(2, other, found ?? 0)
              exit(3)
            }
          }
        }
        if number % 16 == keys.lowerBound / 8 {
          try await cache.flush()
          for key in keys { report(1, key, number) }
        }
      }
    } catch {
      exit(4)
    }
  }

  static func report(_ kind: UInt32, _ key: UInt32, _ number: UInt32) {
    withUnsafeBytes(of: (kind, key, number)) { raw in
      _ = Glibc.write(STDOUT_FILENO, raw.baseAddress, raw.count)
    }
  }

  /// The words that the pixels of a badge begin with, and words that follow from them.
  static func words(_ key: UInt32, _ number: UInt32) -> [UInt32] {
    var state = UInt64(key) << 32 | UInt64(number)
    return [key, number]
      + (0..<62).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt32(truncatingIfNeeded: state >> 40)
      }
  }

  /// An image of 8×8 pixels that a PNG preserves: each pixel is the 24 bits of a word.
  static func badge(_ key: UInt32, _ number: UInt32) throws -> Image {
    let words = words(key, number)
    let bitmap = try Bitmap(size: PixelSize(width: 8, height: 8)) { pixels in
      for (index, word) in words.enumerated() {
        for byte in 0..<3 { pixels[index * 4 + byte] = UInt8(truncatingIfNeeded: word >> (8 * UInt32(byte))) }
        pixels[index * 4 + 3] = 254
      }
      return false
    }
    return Image(bitmap: bitmap)
  }

  /// The key and the number of a badge; no number if a pixel is wrong.
  static func read(_ image: Image) -> (key: UInt32, number: UInt32?) {
    guard image.width == 8, image.height == 8 else { return (.max, nil) }
    let words = image.bitmap.withUnsafeBytes { raw in
      (0..<64).map { index in
        (0..<3).reduce(UInt32(0)) { $0 | UInt32(raw[index * 4 + $1]) << (8 * UInt32($1)) }
      }
    }
    let isWhole = words == self.words(words[0], words[1]).map { $0 & 0xFF_FFFF }
    return (words[0], isWhole ? words[1] : nil)
  }
}
