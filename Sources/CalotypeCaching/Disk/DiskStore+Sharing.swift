import CalotypeSupport
import FoundationEssentials
import Glibc

/// Payloads that several records share. Called within `withLock`.
extension DiskStore {
  /// A file with a payload that another record can share.
  struct Twin {
    /// The record.
    let owner: Digest256
    /// A name of the file.
    let path: String
    let size: Int
    let identity: UInt64
    let checksum: Checksum
  }

  /// Returns the file of a record with the same payload; `nil` when there is none, or it is not worthwhile.
  func twin(of data: Data, header: Data, for digest: Digest256) -> Twin? {
    guard configuration.sharesPayloads, hasLinks, data.count >= configuration.sharedPayloadBytes else {
      return nil
    }
    let checksum = RecordHeader.payloadChecksum(in: header)
    guard let owners = payloads[PayloadTable.Key(checksum: checksum.value, length: data.count)] else {
      return nil
    }
    for owner in owners.first == owners.latest ? [owners.first] : [owners.first, owners.latest] {
      guard index.read({ $0[owner] != nil }), let found = (try? reader.payloadFile(of: owner)) ?? nil,
        // The record itself, which is about to be replaced.
        owner != digest || found.isShared,
        // Its other header may be longer than that of the record.
        header.count + found.file.status.size <= configuration.effectiveRecordLimit,
        (try? found.isEqual(to: data)) == true
      else { continue }
      let status = found.file.status
      return Twin(
        owner: owner, path: found.path, size: status.size, identity: status.identity, checksum: checksum)
    }
    return nil
  }

  /// The entry of a record while names that the record before used are still there.
  static func noted(_ entry: IndexEntry, _ former: [PayloadFile]) -> IndexEntry {
    var noted = entry
    for file in former { noted.add(file.size) }
    if !former.isEmpty { noted.mayShare = true }
    return noted
  }

  /// Gives the file of a twin the name by which a record finds it.
  func link(_ twin: Twin, for digest: Digest256) throws(FileSystemError) {
    let path = layout.payload(digest, twin.checksum)
    do throws(FileSystemError) {
      do throws(FileSystemError) {
        try files.link(twin.path, to: path)
      } catch {
        guard error.code == ENOENT else { throw error }
        // Usually because this is the first record of its folder.
        try files.makeFolder(layout.fanOutFolder(of: digest))
        if isDurable { _ = try files.synchronize(layout.version) }
        try files.link(twin.path, to: path)
      }
    } catch {
      // The record may have shared the same file before.
      if error.code == EEXIST, (try? files.status(path))??.identity == twin.identity { return }
      if [EPERM, ENOTSUP, ENOSYS].contains(error.code) { hasLinks = false }
      throw FileSystemError(operation: Self.linking, path: error.path, code: error.code)
    }
  }

  /// Takes the place of the system call where a payload could not be shared: it is then written instead.
  static var linking: String { "link" }

  /// Removes the files of a record: its shared payload first.
  ///
  /// - Returns: Whether there was a record.
  func removeFiles(of entry: IndexEntry) throws(FileSystemError) -> Bool {
    if entry.mayShare { try removePayloads(of: entry) }
    return try files.remove(layout.record(entry.digest))
  }

  /// Removes the shared payload of a record.
  func removePayloads(of entry: IndexEntry) throws(FileSystemError) {
    let digest = entry.digest
    // An unreadable record must not stop an eviction.
    if let file = (try? reader.sharedPayload(of: digest)) ?? nil, file.total == Int(entry.size) {
      _ = try files.remove(file.path)
    } else if (try? reader.storedEntry(digest))??.entry.fileLength != Int(entry.size) {
      // Something was interrupted.
      for file in try payloadFiles(of: digest) { _ = try files.remove(file.path) }
    }
  }

  /// Returns the second names for a record that is about to be replaced, except for one that it goes on using.
  func formerPayloads(of before: IndexEntry?, keeping path: String?) throws(FileSystemError) -> [PayloadFile]
  {
    guard let before, before.mayShare else { return [] }
    var former: [PayloadFile]
    if let known = (try? reader.sharedPayload(of: before.digest)) ?? nil, known.total == Int(before.size) {
      former = [PayloadFile(path: known.path, size: known.size)]
    } else {
      former = try payloadFiles(of: before.digest)
    }
    former.removeAll { $0.path == path }
    return former
  }

  /// Removes names that the record before used. If that fails, they stay counted until their folder is swept.
  ///
  /// - Parameters:
  ///   - former: The names.
  ///   - entry: The record that replaced it.
  ///   - isConfirmed: Whether a flush may have confirmed the record before.
  func discard(_ former: [PayloadFile], of entry: IndexEntry, isConfirmed: Bool) {
    do throws(FileSystemError) {
      // Until the new record is on the device, a loss of power may bring the old one back.
      if isConfirmed { _ = try files.synchronize(layout.fanOutFolder(of: entry.digest)) }
      for file in former { _ = try files.remove(file.path) }
      try note([.put(entry)])
    } catch {
      return
    }
  }

  /// A second name of a file.
  struct PayloadFile {
    let path: String
    let size: Int
  }

  private func payloadFiles(of digest: Digest256) throws(FileSystemError) -> [PayloadFile] {
    let folder = layout.fanOutFolder(of: digest)
    let fanOut = CacheLayout.fanOut[Int(digest.word0 >> 56)]
    var found: [PayloadFile] = []
    try files.list(folder) { name, status in
      guard status.kind == .regular, CacheLayout.payloadOwner(fanOut: fanOut, name: name) == digest else {
        return
      }
      found.append(PayloadFile(path: "\(folder)/\(name)", size: status.size))
    }
    return found
  }

  /// Removes the second names for a record that it does not use.
  ///
  /// - Returns: The length of the file that it does use; 0 for none.
  func sweepPayloads(of digest: Digest256) throws(FileSystemError) -> Int {
    try sweep(payloadFiles(of: digest), of: digest)
  }

  func sweep(_ found: [PayloadFile], of digest: Digest256) throws(FileSystemError) -> Int {
    guard !found.isEmpty else { return 0 }
    let used: String?
    do throws(FileSystemError) {
      used = try reader.sharedPayload(of: digest)?.path
    } catch {
      // A record that cannot be read must not stop the upkeep: all its names count and stay.
      return found.reduce(0) { $0 + $1.size }
    }
    var size = 0
    for file in found {
      if file.path == used {
        size = file.size
      } else {
        _ = try files.remove(file.path)
      }
    }
    return size
  }
}
