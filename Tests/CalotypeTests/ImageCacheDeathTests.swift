import Calotype
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc
import HelperPrograms
import PipelineSamples
import Testing

/// A process that is killed at any moment leaves the images that it stored.
@Suite("Image caches: death") struct ImageCacheDeathTests {
  @Test("8 tasks store and query, and die", .timeLimit(.minutes(4)))
  func killedWriters() async throws {
    let program = try #require(helperProgram("ImageCacheWriter"))
    let folder = try CacheFolder()
    // Reads of a pipe must not block the threads that other tests run on.
    let threads = WorkerExecutor(name: "test-child", threads: 1)
    var stored: [UInt32: UInt32] = [:]
    var flushed: [UInt32: UInt32] = [:]
    for round in 0..<6 as Range<UInt32> {
      // 10,000 stores and as many queries, then shorter lives.
      let least = round == 0 ? 10_000 : Int.random(in: 1...500)
      let seed = String(round * 100_000 + 1)
      let output = try await threads.run {
        try Self.outputOfLife(program, [folder.url.path, seed], least: least)
      }
      for (kind, key, number) in Self.reports(output) {
        #expect(kind < 2, "round \(round): a query of key \(key) returned number \(number)")
        if kind == 1 { flushed[key] = number }
        stored[key] = max(stored[key] ?? 0, number)
      }
      #expect(round > 0 || stored.count == 64)

      let cache = ImageCache(memory: nil, disk: folder.diskCache())
      for key in 0..<64 as Range<UInt32> {
        guard let image = try await cache.image(for: "badge \(key)") else {
          #expect(stored[key] == nil && flushed[key] == nil, "round \(round): key \(key) is gone")
          continue
        }
        let (found, number) = Self.read(image)
        #expect(found == key, "round \(round)")
        #expect(number ?? 0 >= max(stored[key] ?? 1, flushed[key] ?? 1), "round \(round): key \(key)")
      }
      let statistics = try await cache.statistics()
      #expect(statistics.discarded == 0 && statistics.disk?.damaged == 0)
    }
    #expect(flushed.count == 64)
  }

  /// Starts a writer, and kills it soon after its first reports.
  private static func outputOfLife(_ program: String, _ arguments: [String], least: Int) throws -> [UInt8] {
    let child = try Child(program, arguments)
    var output: [UInt8] = []
    while output.count / 12 < least {
      let bytes = child.read(upTo: 65536)
      if bytes.isEmpty { break }
      output += bytes
    }
    usleep(.random(in: 0...5000))
    child.kill()
    #expect(child.wait() == SIGKILL)
    while case let bytes = child.read(upTo: 65536), !bytes.isEmpty { output += bytes }
    return output
  }

  /// Triples of words; one that was cut off at the end is dropped.
  private static func reports(_ output: [UInt8]) -> [(UInt32, UInt32, UInt32)] {
    output.withUnsafeBytes { raw in
      (0..<raw.count / 12).map { index in
        func word(_ offset: Int) -> UInt32 {
          raw.loadUnaligned(fromByteOffset: index * 12 + offset, as: UInt32.self)
        }
        return (word(0), word(4), word(8))
      }
    }
  }

  /// As the writer checks its badges.
  private static func read(_ image: Image) -> (key: UInt32, number: UInt32?) {
    guard image.width == 8, image.height == 8 else { return (.max, nil) }
    let words = image.bitmap.withUnsafeBytes { raw in
      (0..<64).map { index in
        (0..<3).reduce(UInt32(0)) { $0 | UInt32(raw[index * 4 + $1]) << (8 * UInt32($1)) }
      }
    }
    var state = UInt64(words[0]) << 32 | UInt64(words[1])
    let isWhole = words.dropFirst(2).allSatisfy { word in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return word == UInt32(truncatingIfNeeded: state >> 40)
    }
    return (words[0], isWhole ? words[1] : nil)
  }
}
