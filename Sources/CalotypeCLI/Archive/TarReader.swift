import CalotypeTerminal
import FoundationEssentials
import Glibc

/// Reads a tar archive from beginning to end, without seeking. Holds one entry of a chosen size at most.
struct TarReader {
  /// Longer extended headers are not read.
  private static let maxExtension = 64 << 10
  /// Bytes behind the end of the archive that are read, so that its writer is not killed by a closed pipe.
  private static let maxTail = 1 << 20

  private let reader: DescriptorReader
  private var chunk: ArraySlice<UInt8> = []
  private var isAtEnd = false
  /// The number of bytes before the next header.
  private var rest = 0

  /// - Parameter path: A file, or `-` for standard input.
  /// - Throws: ``CommandError/unreadableArchive(reason:)``.
  init(_ path: String) throws(CommandError) {
    do {
      reader =
        path == StandardOutput.name
        ? try DescriptorReader(STDIN_FILENO, name: "calotype-tar")
        : try DescriptorReader(opening: path, name: "calotype-tar")
    } catch {
      throw .unreadableArchive(reason: error.reason)
    }
  }

  /// Returns the next entry; `nil` at the end of the archive.
  ///
  /// - Throws: ``TarDamage``; ``CommandError/unreadableArchive(reason:)``; `CancellationError`.
  mutating func next() async throws -> TarEntry? {
    var pax = PaxRecords()
    var hasLongName = false
    while true {
      try await skipRest()
      guard let header = try TarHeader(try await block()) else {
        try await skipTail()
        return nil
      }
      switch header.type {
      case UInt8(ascii: "x"):
        try begin(header.size)
        guard header.size <= Self.maxExtension else { throw TarDamage("an extended header is too long") }
        pax = try PaxRecords(Array(try await contents(header.size)))
      // Names of records are short.
      case UInt8(ascii: "L"):
        try begin(header.size)
        hasLongName = true
      // Global headers, and names of links.
      case UInt8(ascii: "g"), UInt8(ascii: "K"):
        try begin(header.size)
      default:
        let entry = TarEntry(header, pax, hasLongName: hasLongName)
        // Links and folders have no contents, whatever their headers say.
        try begin((UInt8(ascii: "1")...UInt8(ascii: "6")).contains(header.type) ? 0 : entry.size)
        return entry
      }
    }
  }

  /// Reads the contents of the present entry.
  ///
  /// - Parameter count: The size of the entry, after the caller has judged it. Memory grows with the bytes that arrive.
  mutating func contents(_ count: Int) async throws -> Data {
    var data = Data()
    while data.count < count {
      let piece = try await take(upTo: count - data.count)
      data.append(contentsOf: piece)
    }
    rest -= count
    return data
  }

  /// Prepares for contents, which are filled up to a block.
  private mutating func begin(_ size: Int) throws(TarDamage) {
    guard size <= Int.max - TarHeader.byteCount else {
      throw TarDamage("a size is larger than a file can be")
    }
    rest = (size + TarHeader.byteCount - 1) / TarHeader.byteCount * TarHeader.byteCount
  }

  private mutating func skipRest() async throws {
    while rest > 0 {
      let count = try await take(upTo: rest).count
      rest -= count
    }
  }

  private mutating func block() async throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < TarHeader.byteCount {
      bytes += try await take(upTo: TarHeader.byteCount - bytes.count)
    }
    return bytes
  }

  private mutating func skipTail() async throws {
    var count = 0
    while count < Self.maxTail, try await fill() {
      count += chunk.count
      chunk = []
    }
  }

  /// Returns at least one byte.
  private mutating func take(upTo count: Int) async throws -> ArraySlice<UInt8> {
    guard try await fill() else { throw TarDamage("it ends within an entry, or without an end mark") }
    let taken = chunk.prefix(count)
    chunk = chunk.dropFirst(count)
    return taken
  }

  /// Returns whether there are bytes.
  private mutating func fill() async throws -> Bool {
    if chunk.isEmpty, !isAtEnd {
      do {
        chunk = (try await reader.read() ?? [])[...]
      } catch let failure as DescriptorReader.Failure {
        throw CommandError.unreadableArchive(reason: failure.reason)
      }
      isAtEnd = chunk.isEmpty
    }
    return !chunk.isEmpty
  }
}
