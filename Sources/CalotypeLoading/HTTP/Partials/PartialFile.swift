import CalotypeSupport
import FoundationEssentials
import Glibc

/// The stored part of one body, in a file that is locked against other processes and loads.
///
/// A disk failure costs the part, never the load: from then on nothing is stored, and the store counts the failure.
final class PartialFile: Sendable {
  private struct State {
    /// The offset of the next frame to read.
    var readOffset: Int
    /// The offset of the next frame to write; `nil` when nothing more is stored.
    var writeOffset: Int?
  }

  let head: PartialHead
  /// Bytes of the body that the file held when it was opened.
  let length: Int
  private let descriptor: FileDescriptor
  private let path: String
  private let store: PartialStore
  private let state: Lock<State>

  private init(_ descriptor: FileDescriptor, _ contents: Contents, path: String, store: PartialStore) {
    self.descriptor = descriptor
    self.path = path
    self.store = store
    head = contents.head
    length = contents.length
    state = Lock(State(readOffset: contents.start, writeOffset: contents.end))
  }

  /// The contents of a file: the range of the body and its length.
  private struct Contents {
    let head: PartialHead
    let start: Int
    let end: Int
    let length: Int
  }

  /// Creates a file without a body.
  ///
  /// - Throws: ``SystemError``.
  static func make(
    _ descriptor: FileDescriptor, path: String, head: PartialHead, store: PartialStore
  ) throws -> PartialFile {
    let payload = try JSONEncoder().encode(head)
    let bytes = Data(PartialFrames.magic + PartialFrames.header(of: payload)) + payload
    try descriptor.truncate(to: 0)
    try descriptor.write(bytes, at: 0)
    let contents = Contents(head: head, start: bytes.count, end: bytes.count, length: 0)
    return PartialFile(descriptor, contents, path: path, store: store)
  }

  /// Opens a file that another load left.
  ///
  /// - Throws: ``SystemError`` when it cannot be read or is not a part.
  static func open(_ descriptor: FileDescriptor, path: String, store: PartialStore) throws -> PartialFile {
    let contents = try read(descriptor)
    // The rest is an incomplete frame.
    try descriptor.truncate(to: contents.end)
    return PartialFile(descriptor, contents, path: path, store: store)
  }

  private static func read(_ descriptor: FileDescriptor) throws -> Contents {
    var offset = PartialFrames.magic.count
    guard try descriptor.read(at: 0, count: offset).elementsEqual(PartialFrames.magic),
      let payload = try frame(descriptor, at: offset, limit: PartialFrames.maxHead)
    else { throw SystemError(EILSEQ) }
    let head = try JSONDecoder().decode(PartialHead.self, from: payload)
    offset += PartialFrames.prefix + payload.count
    let start = offset
    var length = 0
    while let frame = try frame(descriptor, at: offset, limit: PartialFrames.maxFrame) {
      offset += PartialFrames.prefix + frame.count
      length += frame.count
    }
    return Contents(head: head, start: start, end: offset, length: length)
  }

  /// Returns the next stored bytes; `nil` when there are none, or they have changed since the file was opened.
  func next(atMost count: Int) async -> Data? {
    let offset = state.withLock { $0.readOffset }
    let descriptor = self.descriptor
    let frame = await store.attempt { try Self.frame(descriptor, at: offset, limit: PartialFrames.maxFrame) }
    guard let frame = frame ?? nil, frame.count <= count else { return nil }
    state.withLock { $0.readOffset = offset + PartialFrames.prefix + frame.count }
    return frame
  }

  /// Stores bytes of the body.
  func append(_ chunk: Data) async {
    var rest = chunk
    while !rest.isEmpty {
      let piece = rest.prefix(PartialFrames.maxFrame)
      rest = rest.dropFirst(piece.count)
      guard let offset = state.withLock({ $0.writeOffset }) else { return }
      let descriptor = self.descriptor
      let written = await store.attempt { () -> Int in
        let header = PartialFrames.header(of: piece)
        // The bytes first: a frame is valid once its header is written.
        try descriptor.write(piece, at: offset + header.count)
        try descriptor.write(Data(header), at: offset)
        return header.count + piece.count
      }
      state.withLock { $0.writeOffset = written.map { offset + $0 } }
    }
  }

  /// Stores nothing more, and unlocks the file for other loads.
  func release() {
    state.withLock { $0.writeOffset = nil }
    descriptor.unlock()
  }

  /// Deletes the file, because the body is complete or the part is useless.
  func discard() async {
    state.withLock { $0.writeOffset = nil }
    let path = self.path
    _ = await store.attempt { if unlink(path) != 0, errno != ENOENT { throw SystemError(errno) } }
  }

  private static func frame(_ descriptor: FileDescriptor, at offset: Int, limit: Int) throws -> Data? {
    let header = try descriptor.read(at: offset, count: PartialFrames.prefix)
    guard let (length, checksum) = PartialFrames.read(header, limit: limit) else { return nil }
    let payload = try descriptor.read(at: offset + PartialFrames.prefix, count: length)
    return payload.count == length && PartialFrames.checksum(payload) == checksum ? payload : nil
  }
}
