import CalotypeSupport
import FoundationEssentials
import Glibc

/// Reads a list line by line, as far as it is asked to: at most 64 KiB ahead, and without waiting for the end of a pipe.
/// For one task.
final class LineReader {
  struct Line {
    /// From 1.
    let number: Int
    /// Without spaces around it.
    let text: String
    let isTooLong: Bool
  }

  static let limit = 64 << 10

  private let path: String
  private let descriptor: Int32
  /// A pipe that is readable when the reader is to stop: a read of a terminal may never return by itself.
  private let stop: (read: Int32, write: Int32)
  private let thread = WorkerExecutor(name: "calotype-list", threads: 1)
  private var buffer: [UInt8] = []
  private var start = 0
  private var number = 0
  private var isAtEnd = false

  /// - Parameter path: A file, or `-` for standard input.
  init(_ path: String) throws(CommandError) {
    self.path = path
    descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure(path) }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Self.failure(path) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    stop = (ends[0], ends[1])
  }

  deinit {
    if path != "-", descriptor >= 0 { close(descriptor) }
    close(stop.read)
    close(stop.write)
  }

  /// The next line that says something: neither blank nor a comment, which begins with `#`. `nil` at the end.
  ///
  /// - Throws: ``CommandError/unreadableList(path:reason:)``; `CancellationError`.
  func next() async throws -> Line? {
    while let line = try await nextOfAll() {
      if line.isTooLong || !(line.text.isEmpty || line.text.hasPrefix("#")) { return line }
    }
    return nil
  }

  private func nextOfAll() async throws -> Line? {
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

  private func line(_ bytes: ArraySlice<UInt8>, isTooLong: Bool) -> Line {
    number += 1
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let bytes = number == 1 && bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
    let text = bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
    return Line(
      number: number, text: String(decoding: isTooLong ? Array(text.prefix(60)) : Array(text), as: UTF8.self),
      isTooLong: isTooLong)
  }

  /// Some bytes, as soon as there are any; none at the end.
  private func read() async throws -> [UInt8] {
    let (descriptor, stop, path) = (descriptor, stop, path)
    let chunk = try await withTaskCancellationHandler {
      try await thread.run { try Self.read(descriptor, until: stop.read, path: path) }
    } onCancel: {
      _ = write(stop.write, "x", 1)
    }
    try Task.checkCancellation()
    return chunk
  }

  private static func read(_ descriptor: Int32, until stop: Int32, path: String) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit)
    while true {
      var ready = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&ready, 2, -1) >= 0 || errno == EINTR else { throw failure(path) }
      if ready[1].revents != 0 { throw CancellationError() }
      guard ready[0].revents != 0 else { continue }
      let count = Glibc.read(descriptor, &bytes, bytes.count)
      if count >= 0 { return Array(bytes.prefix(count)) }
      guard errno == EINTR || errno == EAGAIN else { throw failure(path) }
    }
  }

  private static func failure(_ path: String) -> CommandError {
    .unreadableList(
      path: path == "-" ? "on standard input" : path, reason: String(cString: strerror(errno)))
  }
}
