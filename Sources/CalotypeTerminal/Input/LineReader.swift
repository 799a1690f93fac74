import CalotypeSupport
import FoundationEssentials
import Glibc

/// Reads a list line by line on demand: at most 64 KiB ahead, and without waiting for the end of a pipe.
package struct LineReader: Sendable {
  package struct Line: Sendable {
    /// From 1.
    package let number: Int
    /// Without spaces around it.
    package let text: String
    package let isTooLong: Bool

    /// The text as it is shown: without user name and password.
    package var shown: String { RedactedURL.withoutUsers(text, isOne: true) }
  }

  package static let limit = 64 << 10

  private let path: String
  private let reader: DescriptorReader
  private var buffer: [UInt8] = []
  private var start = 0
  private var number = 0
  private var isAtEnd = false

  /// - Parameter path: A file, or `-` for standard input.
  package init(_ path: String) throws(TerminalError) {
    self.path = path
    do {
      reader =
        path == "-"
        ? try DescriptorReader(STDIN_FILENO, name: "calotype-list")
        : try DescriptorReader(opening: path, name: "calotype-list")
    } catch {
      throw Self.failure(path, error)
    }
  }

  /// Whether the list comes from a terminal.
  package var isTerminal: Bool { reader.isTerminal }

  /// Returns the next line that is neither blank nor a comment, which begins with `#`; `nil` at the end.
  ///
  /// - Throws: ``TerminalError/unreadableList(path:reason:)``; `CancellationError`.
  package mutating func next() async throws -> Line? {
    while let line = try await nextOfAll() {
      if line.isTooLong || !(line.text.isEmpty || line.text.hasPrefix("#")) { return line }
    }
    return nil
  }

  private mutating func nextOfAll() async throws -> Line? {
    var isTooLong = false
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) {
        defer { start = end + 1 }
        return line(buffer[start..<end], isTooLong: isTooLong || end - start > Self.limit)
      }
      if buffer.count - start > Self.limit {
        // Its beginning tells which one it is.
        buffer.removeSubrange((start + 200)...)
        isTooLong = true
      }
      if isAtEnd {
        guard start < buffer.count else { return nil }
        defer { start = buffer.count }
        return line(buffer[start...], isTooLong: isTooLong)
      }
      buffer.removeFirst(start)
      start = 0
      searched = buffer.count
      let chunk = try await read()
      isAtEnd = chunk.isEmpty
      buffer += chunk
    }
  }

  private mutating func line(_ bytes: ArraySlice<UInt8>, isTooLong: Bool) -> Line {
    number += 1
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let bytes = number == 1 && bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
    let text = bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
    return Line(
      number: number, text: String(decoding: isTooLong ? Array(text.prefix(60)) : Array(text), as: UTF8.self),
      isTooLong: isTooLong)
  }

  private func read() async throws -> [UInt8] {
    do {
      return try await reader.read() ?? []
    } catch let failure as DescriptorReader.Failure {
      throw Self.failure(path, failure)
    }
  }

  private static func failure(_ path: String, _ failure: DescriptorReader.Failure) -> TerminalError {
    .unreadableList(path: path == "-" ? "on standard input" : path, reason: failure.reason)
  }
}
