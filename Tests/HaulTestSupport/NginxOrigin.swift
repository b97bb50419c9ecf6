import Glibc
package import Testing

/// A private nginx, with files of its own on ports of its own.
package final class NginxOrigin: Sendable {
    /// What it does besides serving files.
    package struct Options: Sendable {
        /// Bytes a second for each request (`limit_rate`).
        package var rate: Int64?
        /// Largest number of requests at once; more get 503 (`limit_conn`).
        package var connectionLimit: Int?
        /// Whether it also serves over TLS, with a certificate of its own authority.
        package var usesTLS = false
        /// Whether it speaks HTTP/2 over TLS.
        package var usesHTTP2 = false
        /// Names and addresses in the certificate.
        package var certificateNames = "DNS:localhost,IP:127.0.0.1"
        /// Days for which the certificate holds; less than 0 for one that has expired.
        package var certificateDays = 2
        /// Directives to put into the `server` block.
        package var directives = ""

        /// Makes options for plain files without limits.
        package init() {}
    }

    /// Directory with the files it serves.
    package let root: String
    /// Port of plain HTTP.
    package let port: UInt16
    /// Port of TLS, 0 if there is none.
    package let securePort: UInt16
    /// Certificate of the authority that signed the server's, in PEM.
    package let trustFile: String
    /// A certificate signed by that authority, and its key, in PEM.
    package var certificate: (file: String, key: String) {
        (directory.file("server.pem"), directory.file("server.key"))
    }

    private let directory: TemporaryDirectory
    private let process: ProcessRunner

    /// Starts nginx; it accepts connections when the initializer returns.
    ///
    /// - Parameter options: what it does besides serving files.
    /// - Throws: `ProcessError` when it, or `openssl`, can't be run.
    package init(_ options: Options = Options()) async throws(ProcessError) {
        let directory = try TemporaryDirectory()
        root = directory.file("root")
        trustFile = directory.file("ca.pem")
        mkdir(root, 0o755)
        chmod(directory.path, 0o755)
        if options.usesTLS { try await NginxCertificate.make(in: directory, options) }
        var failure = ""
        // Another process may take a port between its choice and nginx's start: then others are tried.
        for _ in 0..<5 {
            let ports = try (Self.freePort(), options.usesTLS ? Self.freePort() : 0)
            let text = Self.configuration(options, directory.path, root, ports.0, ports.1)
            try FileContents.write(Array(text.utf8), to: directory.file("nginx.conf"))
            let process = try ProcessRunner(
                Self.program,
                ["-p", directory.path, "-c", directory.file("nginx.conf"), "-g", "daemon off; master_process off;"],
                timeout: .seconds(600))
            if await Self.accepts(ports.0, process), ports.1 == 0 ? true : await Self.accepts(ports.1, process) {
                (port, securePort) = ports
                (self.process, self.directory) = (process, directory)
                return
            }
            process.signal(SIGKILL)
            failure = await process.wait().errorText
        }
        throw ProcessError("nginx does not start: \(failure)")
    }

    deinit { process.signal(SIGTERM) }

    /// Stops it and waits for its end.
    package func stop() async {
        process.signal(SIGTERM)
        _ = await process.wait()
    }

    /// Address of a file over plain HTTP.
    package func url(for name: String) -> String { "http://127.0.0.1:\(port)/\(name)" }

    /// Address of a file over TLS.
    package func secureURL(for name: String) -> String { "https://localhost:\(securePort)/\(name)" }

    /// Path of a file in `root`.
    package func file(_ name: String) -> String { "\(root)/\(name)" }

    /// Whether nginx is there.
    static var isInstalled: Bool { access(program, X_OK) == 0 }

    private static let program = getenv("HAUL_NGINX").map { String(cString: $0) } ?? "/usr/sbin/nginx"

    private static func configuration(
        _ options: Options, _ directory: String, _ root: String, _ port: UInt16, _ securePort: UInt16
    ) -> String {
        let limits = [
            options.rate.map { "limit_rate \($0);" },
            options.connectionLimit.map { "limit_conn peers \($0); limit_conn_status 503;" },
        ].compactMap { $0 }.joined(separator: " ")
        let secure =
            securePort == 0
            ? ""
            : """
            listen 127.0.0.1:\(securePort) ssl\(options.usesHTTP2 ? " http2" : "");
            ssl_certificate \(directory)/server.pem;
            ssl_certificate_key \(directory)/server.key;
            """
        let user = geteuid() == 0 ? "user root;" : ""
        return """
            \(user)
            worker_processes 1;
            pid \(directory)/nginx.pid;
            error_log stderr warn;
            events { worker_connections 512; }
            http {
                access_log \(directory)/access.log;
                client_body_temp_path \(directory)/client;
                proxy_temp_path \(directory)/proxy;
                fastcgi_temp_path \(directory)/fastcgi;
                uwsgi_temp_path \(directory)/uwsgi;
                scgi_temp_path \(directory)/scgi;
                sendfile on;
                tcp_nopush on;
                default_type application/octet-stream;
                limit_conn_zone $server_name zone=peers:1m;
                server {
                    listen 127.0.0.1:\(port);
                    \(secure)
                    server_name origin;
                    root \(root);
                    \(limits)
                    \(options.directives)
                }
            }

            """
    }

    /// A port that nobody uses now.
    static func freePort() throws(ProcessError) -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw ProcessError(call: "socket", path: "", code: errno) }
        defer { close(descriptor) }
        var address = loopback(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, size) | getsockname(descriptor, pointer, &size)
            }
        }
        guard result == 0 else { throw ProcessError(call: "bind", path: "", code: errno) }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Waits until a port accepts connections, ten seconds at most.
    private static func accepts(_ port: UInt16, _ process: ProcessRunner) async -> Bool {
        let deadline = ContinuousClock().now + .seconds(10)
        while ContinuousClock().now < deadline, !process.hasEnded {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            defer { close(descriptor) }
            var address = loopback(port: port)
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            if result == 0 { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips the test where there is no nginx; under `CI=true` it runs, and fails.
    package static var requiresNginx: Self {
        .enabled("nginx is not installed") {
            NginxOrigin.isInstalled || getenv("CI").map { String(cString: $0) } == "true"
        }
    }
}
