import CalotypeSupport
import FoundationEssentials
import Glibc

extension PartialStore {
  /// The contents of a folder.
  public struct Contents: Hashable, Codable, Sendable {
    /// The number of parts.
    public var count = 0
    /// The size of their files in bytes.
    public var bytes = 0
  }

  /// Returns the present contents, parts in use included.
  ///
  /// - Throws: ``LoadingError/fileUnreadable(_:reason:)`` for the folder; `CancellationError`.
  public func contents() async throws -> Contents {
    try await reporting { parts in parts.reduce(into: Contents()) { $0.add($1) } }
  }

  /// Deletes all parts except those in use. Other files in the folder remain.
  ///
  /// - Returns: The deleted parts.
  /// - Throws: ``LoadingError/fileUnreadable(_:reason:)`` for the folder, ``LoadingError/fileUnwritable(_:reason:)`` for a
  ///   part that cannot be deleted; `CancellationError`.
  @discardableResult public func removeAll() async throws -> Contents {
    try await reporting { parts in
      var removed = Contents()
      for part in parts {
        do {
          // Locked: in use.
          guard let file = try Self.open(part.path, creating: false) else { continue }
          if unlink(part.path) != 0, errno != ENOENT { throw SystemError(errno) }
          withExtendedLifetime(file) {}
          removed.add(part)
        } catch let error as SystemError {
          throw LoadingError.fileUnwritable(URL(filePath: part.path), reason: error.reason)
        }
      }
      return removed
    }
  }

  private func reporting(_ body: @Sendable ([Part]) throws -> Contents) async throws -> Contents {
    try await executor.run {
      let parts: [Part]
      do {
        parts = try self.parts()
      } catch let error as SystemError {
        throw LoadingError.fileUnreadable(folder, reason: error.reason)
      }
      return try body(parts)
    }
  }

  /// One file.
  struct Part: Sendable {
    let path: String
    let size: Int
    /// In seconds since 1970.
    let written: Int
  }

  /// All files, in no order. A folder that does not exist holds none.
  ///
  /// - Throws: ``SystemError``.
  func parts() throws(SystemError) -> [Part] {
    guard let folder = opendir(folder.path) else {
      if errno == ENOENT { return [] }
      throw SystemError(errno)
    }
    defer { closedir(folder) }
    var parts: [Part] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      // Only names of parts: the folder may hold other files.
      guard name.hasSuffix(Self.suffix), name.utf8.count == 64 + Self.suffix.utf8.count else { continue }
      let path = self.folder.appending(path: name).path
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      parts.append(
        Part(path: path, size: Int(status.st_size), written: status.st_mtim.tv_sec))
    }
    return parts
  }
}

extension PartialStore.Contents {
  fileprivate mutating func add(_ part: PartialStore.Part) {
    count += 1
    bytes += part.size
  }
}
