import Haul
import HaulTestSupport
import Testing

/// What the documentation shows is what is compiled here.
struct DocumentationTests {
    private static let root = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }

    private static func text(_ path: String) throws -> String {
        String(decoding: try FileContents.read(root + "/" + path), as: UTF8.self)
    }

    /// Code blocks of Swift in a page, without their fences.
    private static func blocks(_ page: String) throws -> [String] {
        try text(page).split(separator: "```swift\n", omittingEmptySubsequences: false).dropFirst().map { part in
            String(part.prefix(upTo: part.firstRange(of: "```")?.lowerBound ?? part.endIndex))
        }
    }

    @Test func recipesAreTheCompiledOnes() throws {
        let shown = try Self.blocks("Sources/Haul/Documentation.docc/Recipes.md")
        let names = ["ResumeBySize", "StopAndGoOn", "TwoFolders", "BulkDownloads"]
        #expect(shown.count == names.count)
        for (block, name) in zip(shown, names) {
            #expect(try block == Self.text("Tests/HaulRecipeTests/\(name).swift"), "\(name).swift")
        }
    }

    /// Every example compiles against the built library, as whole file or as body of a function.
    @Test(arguments: [
        "README.md", "Sources/Haul/Documentation.docc/GettingStarted.md",
        "Sources/Haul/Documentation.docc/LifeOfADownload.md", "Sources/Haul/Documentation.docc/Errors.md",
        "Sources/Haul/Documentation.docc/Haul.md",
    ])
    func examplesCompile(_ page: String) async throws {
        let examples = try Self.blocks(page).filter { !$0.contains("import PackageDescription") }
        #expect(!examples.isEmpty)
        let directory = try TemporaryDirectory()
        defer { directory.cleanUp() }
        for (index, example) in examples.enumerated() {
            let isWhole = example.contains("import Haul")
            let given = """
                import Haul
                func example\(index)(
                    _ request: DownloadRequest, _ download: Download, _ downloader: Downloader, _ addresses: [String],
                    _ pipe: Int32, _ token: ResumeToken
                ) async throws {

                """
            let source = isWhole ? example : given + example + "}\n"
            let file = directory.file(isWhole ? "main.swift" : "example\(index).swift")
            try FileContents.write(Array(source.utf8), to: file)
            let modules = HaulBinary.directory + "/Modules"
            // Modules of C: those of the system have their maps among the sources, the others get them from the build.
            let systemMaps = ["CCurl", "COpenSSL", "CXML"].flatMap { ["-Xcc", "-I\(Self.root)/Sources/\($0)"] }
            let headers = await (try ProcessRunner("/usr/bin/env", ["pkg-config", "--cflags-only-I", "libxml-2.0"]))
                .wait().outputText.split(whereSeparator: \.isWhitespace).flatMap { ["-Xcc", String($0)] }
            let maps = ["CChecksum", "CSystem"].flatMap {
                ["-Xcc", "-fmodule-map-file=\(HaulBinary.directory)/\($0).build/module.modulemap"]
            }
            let compiler = ["swiftc", "-typecheck", "-swift-version", "6", "-I", modules] + systemMaps + headers + maps
            let result = await (try ProcessRunner("/usr/bin/env", compiler + [file], timeout: .seconds(120))).wait()
            #expect(result.status == .code(0), "\(page), example \(index): \(result.errorText)")
        }
    }
}
