import FoundationEssentials

extension LocalServer {
  /// nginx: HTTP/1.1 without TLS, files sent by the kernel, so that the server costs its clients nothing they could
  /// notice.
  ///
  /// - Throws: ``Skipped`` when it is not installed, ``ChildProcessError``.
  public static func nginx() throws -> LocalServer {
    let program = try Program.path(of: "nginx")
    let folder = try makeFolder()
    let port = try freePort()
    let configuration = """
      daemon off; master_process off; worker_processes 1; pid \(folder.path)/pid; error_log \(folder.path)/log;
      events { worker_connections 1024; }
      http {
        access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; open_file_cache max=16;
        client_body_temp_path \(folder.path)/t1; proxy_temp_path \(folder.path)/t2;
        fastcgi_temp_path \(folder.path)/t3; uwsgi_temp_path \(folder.path)/t4; scgi_temp_path \(folder.path)/t5;
        server { listen 127.0.0.1:\(port) backlog=1024; root \(folder.path); }
      }
      """
    let file = folder.appending(path: "nginx.conf")
    try Data(configuration.utf8).write(to: file)
    return try LocalServer([program, "-p", folder.path, "-c", file.path], folder: folder, port: port)
  }

  /// nghttpd: HTTP/2 over TLS, with a certificate of its own. Unlike nginx it brings out the streams of libcurl 7.88 that
  /// stall.
  ///
  /// - Throws: ``Skipped`` when it or `openssl` is not installed, ``ChildProcessError``.
  public static func nghttpd() throws -> LocalServer {
    let program = try Program.path(of: "nghttpd")
    let openssl = try Program.path(of: "openssl")
    let folder = try makeFolder()
    let port = try freePort()
    let key = folder.appending(path: "key.pem").path
    let certificate = folder.appending(path: "cert.pem").path
    try run([
      openssl, "req", "-x509", "-nodes", "-days", "2", "-newkey", "ec", "-pkeyopt",
      "ec_paramgen_curve:prime256v1", "-subj", "/CN=localhost", "-addext",
      "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate,
    ])
    let command = [program, "-a", "127.0.0.1", "-d", folder.path, "\(port)", key, certificate]
    return try LocalServer(command, folder: folder, port: port, caFile: certificate)
  }
}
