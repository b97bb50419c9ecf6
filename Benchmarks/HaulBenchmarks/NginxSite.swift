import HaulOrigin

/// A directory with a file, a certificate and a configuration, from which nginx is run again and again.
struct NginxSite {
    /// Number of worker processes.
    static let workerCount = 2

    /// Where it is.
    let directory: String
    /// Whether it serves over TLS.
    let isSecure: Bool

    /// PEM file with the certificate to trust.
    var trustFile: String { directory + "/cert.pem" }
    /// Where each request is noted.
    var accessLog: String { directory + "/access.log" }

    /// Path of nginx; nil if it, or what makes its certificate, is not installed.
    static func program(secure: Bool) -> String? {
        guard !secure || Platform.program("openssl") != nil else { return nil }
        return Platform.program("nginx")
    }

    /// Makes the directory's content.
    init(_ directory: String, size: Int64, secure: Bool) throws(BenchmarkFailure) {
        self.directory = directory
        isSecure = secure
        for name in ["", "/www", "/temporary"] { FileSystem.makeDirectory(directory + name) }
        try FileSystem.write(OriginPlan.content, size: size, to: directory + "/www" + OriginPlan.path)
        guard secure, let openssl = Platform.program("openssl") else { return }
        try ChildProgram.check([
            openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3",
            "-keyout", directory + "/key.pem", "-out", trustFile, "-subj", "/CN=127.0.0.1",
            "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
        ])
    }

    /// The configuration for a port.
    func configuration(port: UInt16) -> String {
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(directory)/temporary/\($0);"
        }.joined(separator: " ")
        let certificate = "ssl_certificate \(trustFile); ssl_certificate_key \(directory)/key.pem;"
        return """
            worker_processes \(Self.workerCount);
            pid \(directory)/nginx.pid;
            error_log stderr crit;
            events { worker_connections 1024; }
            http {
                log_format short '$body_bytes_sent $status $connection';
                access_log \(accessLog) short;
                default_type application/octet-stream;
                sendfile on;
                tcp_nopush on;
                keepalive_requests 100000;
                \(temporary)
                server {
                    listen 127.0.0.1:\(port)\(isSecure ? " ssl" : "") reuseport;
                    \(isSecure ? certificate : "")
                    root \(directory)/www;
                }
            }

            """
    }
}
