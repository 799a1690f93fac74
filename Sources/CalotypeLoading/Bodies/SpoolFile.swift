import CalotypeSupport
import FoundationEssentials
import Glibc

/// An unnamed temporary file for bodies that are too large for memory.
struct SpoolFile: Sendable {
  private let file: FileDescriptor
  private(set) var count = 0

  /// One pool for all files, which only waits for disks.
  static let executor = WorkerExecutor(name: "calotype-spool", threads: 2)

  /// `$TMPDIR`, or `/var/tmp`: `/tmp` is often a file system in memory.
  static var folder: String {
    let folder = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
    return folder.isEmpty ? "/var/tmp" : folder
  }

  /// - Throws: ``SystemError``.
  init(in folder: String = SpoolFile.folder) throws(SystemError) {
    let path = "\(folder)/calotype-\(UUID().uuidString)"
    file = try FileDescriptor(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
    unlink(path)
  }

  /// Appends bytes.
  mutating func append(_ data: Data) async throws {
    let (file, offset) = (self.file, count)
    try await Self.executor.run { try file.write(data, at: offset) }
    count += data.count
  }

  /// Returns all bytes, mapped: the kernel may drop their pages and read them again.
  func mapped() throws(SystemError) -> Data {
    guard count > 0 else { return Data() }
    guard let bytes = mmap(nil, count, PROT_READ, MAP_PRIVATE, file.number, 0), bytes != MAP_FAILED else {
      throw SystemError(errno)
    }
    return Data(bytesNoCopy: bytes, count: count, deallocator: .custom { _ = munmap($0, $1) })
  }
}
