import Glibc

/// The version of a file: its device, inode, size, and the times of the last changes of its contents and its status.
///
/// Writing, replacing, renaming onto it, and changing its times or permissions give another version: no program can set
/// the time of the last change of the status back.
enum FileVersion {
  /// The time after a change within which another one may have the same time stamp: those of Linux advance by at most
  /// 10 ms, those of some file systems by 1 or 2 s.
  private static func settling(_ stamp: timespec) -> Int { stamp.tv_nsec == 0 ? 2_000_000_000 : 20_000_000 }

  /// Returns the version of the file at a path; `nil` if there is no regular file, or if it has changed so recently that
  /// the next change may go unnoticed.
  static func text(of path: String) -> String? {
    var (status, now) = (stat(), timespec())
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      clock_gettime(CLOCK_REALTIME, &now) == 0
    else { return nil }
    let (changed, _) = status.st_ctim.tv_sec.multipliedReportingOverflow(by: 1_000_000_000)
    let (current, _) = now.tv_sec.multipliedReportingOverflow(by: 1_000_000_000)
    let age = (current &+ now.tv_nsec) &- (changed &+ status.st_ctim.tv_nsec)
    // A time in the future is that of another clock.
    guard age < 0 || age > settling(status.st_ctim) else { return nil }
    let numbers = [
      Int(bitPattern: UInt(status.st_dev)), Int(bitPattern: UInt(status.st_ino)), Int(status.st_size),
      status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
    ]
    return numbers.map { String($0, radix: 36) }.joined(separator: ".")
  }
}
