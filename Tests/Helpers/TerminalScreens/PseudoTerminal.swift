import Glibc

/// Both ends of a terminal of a size: what a command gets for one, and what it does there.
package final class PseudoTerminal {
  /// The system refused.
  package struct Failure: Error {
    package let errno: Int32
  }

  package let master: Int32
  /// What the command gets.
  package private(set) var end: Int32

  package init(columns: Int, rows: Int, width: Int = 0, height: Int = 0) throws {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // TIOCSPTLCK and TIOCGPTN of ioctl_tty(2): `posix_openpt` and its kin are not visible to Swift.
    var (lock, number): (Int32, UInt32) = (0, 0)
    guard master >= 0, ioctl(master, 0x4004_5431, &lock) == 0, ioctl(master, 0x8004_5430, &number) == 0
    else { throw Failure(errno: errno) }
    end = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard end >= 0 else { throw Failure(errno: errno) }
    resize(columns: columns, rows: rows, width: width, height: height)
  }

  deinit {
    close(master)
    if end >= 0 { close(end) }
  }

  /// The command has its own now.
  package func letGo() {
    close(end)
    end = -1
  }

  package func resize(columns: Int, rows: Int, width: Int = 0, height: Int = 0) {
    var size = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: UInt16(width), ws_ypixel: UInt16(height))
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  /// Echo, line mode and signals, as they are set now.
  package var settings: [Bool] {
    var settings = termios()
    guard tcgetattr(master, &settings) == 0 else { return [] }
    return [ECHO, ICANON, ISIG].map { settings.c_lflag & tcflag_t($0) != 0 }
  }

  /// What comes next; `nil` when the other end is closed.
  package func read() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(master, &buffer, buffer.count)
      if count > 0 { return Array(buffer[..<count]) }
      guard count < 0, errno == EINTR else { return nil }
    }
  }

  /// Types, or answers as a terminal does.
  package func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = Glibc.write(master, bytes, bytes.count)
  }
}
