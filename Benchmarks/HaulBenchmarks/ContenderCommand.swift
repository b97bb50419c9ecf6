/// The command lines of the contenders.
enum ContenderCommand {
    /// Words that run a contender.
    ///
    /// - Parameters:
    ///   - contender: which.
    ///   - program: its path.
    ///   - job: what to do; a list is written beside the directory where one is needed.
    /// - Returns: the program's path, and its arguments.
    /// - Throws: why the list can't be written.
    static func words(
        _ contender: Contender, _ program: String, _ job: FetchJob
    ) throws(BenchmarkFailure) -> [String] {
        switch contender.tool {
        case .haul: try library(contender, program, job)
        case .haulCLI: try commandLine(contender, program, job)
        case .curl: try curl(program, job)
        case .aria2c: try aria2(program, job)
        case .axel: axel(program, job)
        case .wget2: try wget2(program, job)
        }
    }

    private static func library(
        _ contender: Contender, _ program: String, _ job: FetchJob
    ) throws(BenchmarkFailure) -> [String] {
        var words = Words()
        if job.isBatch || !contender.isAutomatic { words.set("connections", job.connections) }
        words["sync"] = contender.syncs ? "yes" : "no"
        words["digest"] = job.digest
        words["trust"] = job.trustFile
        words["handicap"] = job.handicap?.rawValue
        if job.isBatch {
            try writeAddresses(job)
            words["list"] = job.list
            words["directory"] = job.directory
        } else {
            words["url"] = job.url
            words["output"] = job.output
        }
        return [program, Main.fetchMode] + words.list
    }

    private static func commandLine(
        _ contender: Contender, _ program: String, _ job: FetchJob
    ) throws(BenchmarkFailure) -> [String] {
        var words = [program, "-q"]
        if !contender.syncs { words.append("--no-sync") }
        if let digest = job.digest { words += ["--checksum", "sha-256=" + digest] }
        if let trustFile = job.trustFile { words += ["--cacert", trustFile] }
        guard job.isBatch else {
            let connections = contender.isAutomatic ? "auto" : "\(job.connections)"
            return words + ["-n", connections, "-o", job.output, job.url]
        }
        words += ["-d", job.directory]
        guard takesLists(program) else { return words + job.paths.map { job.base + $0 } }
        try writeAddresses(job)
        return words + ["-j", "\(job.connections)", "-i", job.list]
    }

    /// Whether a `haul` reads addresses from a file.
    private static func takesLists(_ program: String) -> Bool {
        guard let help = try? ChildProgram([program, "--help"]) else { return false }
        var text: [UInt8] = []
        while let part = help.read(waiting: 5000), !part.isEmpty { text += part }
        return String(decoding: text, as: UTF8.self).contains("--input-file")
    }

    private static func curl(_ program: String, _ job: FetchJob) throws(BenchmarkFailure) -> [String] {
        guard !job.isBatch else {
            let lines = job.paths.map { "url=\"\(job.base)\($0)\"\noutput=\"\(job.directory)\($0)\"\n" }
            try FileSystem.write(lines.joined(), to: job.list)
            return [program, "-sSf", "--parallel", "--parallel-max", "\(job.connections)", "-K", job.list]
        }
        var words = [program, "-sSf", "-o", job.output]
        if let trustFile = job.trustFile { words += ["--cacert", trustFile] }
        if job.resumes { words += ["-C", "-"] }
        words.append(job.url)
        guard let digest = job.digest else { return words }
        let check = "\"$@\" && echo \"\(digest)  \(job.output)\" | sha256sum -c --quiet"
        return ["/bin/sh", "-c", check, "sh"] + words
    }

    private static func aria2(_ program: String, _ job: FetchJob) throws(BenchmarkFailure) -> [String] {
        var words = [
            program, "--no-conf", "-q", "--allow-overwrite=true", "--auto-file-renaming=false",
            "--file-allocation=none", "-d", job.directory,
        ]
        guard !job.isBatch else {
            try writeAddresses(job)
            return words + ["-j", "\(job.connections)", "-i", job.list]
        }
        if let trustFile = job.trustFile { words.append("--ca-certificate=" + trustFile) }
        if let digest = job.digest { words.append("--checksum=sha-256=" + digest) }
        if job.resumes { words.append("-c") }
        // aria2 takes at most 16 connections a server.
        let count = min(16, job.connections)
        return words + ["-x\(count)", "-s\(count)", "-k1M", "-o", job.name, job.url]
    }

    private static func axel(_ program: String, _ job: FetchJob) -> [String] {
        [program, "-q", "-k", "-n", "\(job.connections)", "-o", job.output, job.url]
    }

    private static func wget2(_ program: String, _ job: FetchJob) throws(BenchmarkFailure) -> [String] {
        var words = [program, "-q", "--no-config", "--max-threads=\(job.connections)"]
        guard !job.isBatch else {
            try writeAddresses(job)
            return words + ["-P", job.directory, "-i", job.list]
        }
        if let trustFile = job.trustFile { words.append("--ca-certificate=" + trustFile) }
        if job.resumes { words.append("-c") }
        return words + ["--chunk-size=16M", "-O", job.output, job.url]
    }

    private static func writeAddresses(_ job: FetchJob) throws(BenchmarkFailure) {
        try FileSystem.write(job.paths.map { job.base + $0 + "\n" }.joined(), to: job.list)
    }
}
