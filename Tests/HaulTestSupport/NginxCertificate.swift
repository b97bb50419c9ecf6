import Glibc

/// Certificates for a private nginx, made with the `openssl` command.
enum NginxCertificate {
    /// Makes `ca.pem`, and `server.pem` with `server.key` signed by it.
    static func make(in directory: TemporaryDirectory, _ options: NginxOrigin.Options) async throws(ProcessError) {
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        try await ProcessRunner.check(
            program,
            ["req", "-x509"] + key + [
                "-keyout", directory.file("ca.key"), "-out", directory.file("ca.pem"), "-days", "3",
                "-subj", "/CN=haul test authority",
            ])
        try await ProcessRunner.check(
            program,
            ["req"] + key + [
                "-keyout", directory.file("server.key"), "-out", directory.file("server.csr"),
                "-subj", "/CN=haul test origin",
            ])
        let extensions = "subjectAltName=\(options.certificateNames)\n"
        try FileContents.write(Array(extensions.utf8), to: directory.file("extensions"))
        try await ProcessRunner.check(
            program,
            [
                "x509", "-req", "-in", directory.file("server.csr"), "-CA", directory.file("ca.pem"),
                "-CAkey", directory.file("ca.key"), "-CAcreateserial", "-days", "\(options.certificateDays)",
                "-extfile", directory.file("extensions"), "-out", directory.file("server.pem"),
            ])
    }

    static let program = "/usr/bin/openssl"
}
