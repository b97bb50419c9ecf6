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

    /// The pages with examples, whichever they are; those of the recipes are compiled with the tests.
    private static var pages: [String] {
        let catalogues = ["Haul", "HaulFoundation"].map { "Sources/\($0)/Documentation.docc" }
        let articles = catalogues.flatMap { catalogue in
            FileContents.names(in: root + "/" + catalogue).map { catalogue + "/" + $0 }
        }
        return (["README.md"] + articles).filter {
            $0.hasSuffix(".md") && !$0.hasSuffix("/Recipes.md") && ((try? blocks($0)) ?? []).isEmpty == false
        }
    }

    @Test func examplesOfBothLibrariesAreFound() {
        let found = Self.pages
        #expect(found.contains("README.md") && found.contains { $0.hasSuffix("/GettingStarted.md") })
        #expect(found.contains { $0.hasSuffix("/HaulFoundation.md") })
    }

    /// Every example compiles against the built library, as whole file or as body of a function.
    @Test(arguments: pages) func examplesCompile(_ page: String) async throws {
        let examples = try Self.blocks(page).filter { !$0.contains("import PackageDescription") }
        #expect(!examples.isEmpty)
        let directory = try TemporaryDirectory()
        defer { directory.cleanUp() }
        for (index, example) in examples.enumerated() {
            let usesFoundation = example.contains("import HaulFoundation\n")
            let isWhole = example.contains("import Haul\n") && !usesFoundation
            let source = isWhole ? example : Self.function(example, usesFoundation: usesFoundation)
            let file = directory.file(isWhole ? "main.swift" : "example\(index).swift")
            try FileContents.write(Array(source.utf8), to: file)
            let modules = HaulBinary.directory + "/Modules"
            // Modules of C: those of the system have their maps among the sources, the others get them from the build.
            let systemMaps = ["CCurl", "COpenSSL", "CXML"].flatMap { ["-Xcc", "-I\(Self.root)/Sources/\($0)"] }
            let headers = try await Self.libraryHeaders()
            let maps = ["CChecksum", "CSystem"].flatMap {
                ["-Xcc", "-fmodule-map-file=\(HaulBinary.directory)/\($0).build/module.modulemap"]
            }
            let compiler =
                ["swiftc", "-typecheck", "-swift-version", "6", "-I", modules] + systemMaps + maps
                + headers
            let result = await (try ProcessRunner("/usr/bin/env", compiler + [file], timeout: .seconds(120))).wait()
            #expect(result.status == .code(0), "\(page), example \(index): \(result.errorText)")
        }
    }

    /// An example as body of a function that has what examples speak of.
    private static func function(_ example: String, usesFoundation: Bool) -> String {
        let lines = example.split(separator: "\n", omittingEmptySubsequences: false)
        let imports = lines.filter { $0.hasPrefix("import ") }.joined(separator: "\n")
        let body = lines.filter { !$0.hasPrefix("import ") }.joined(separator: "\n")
        let known =
            usesFoundation
            ? "_ address: URL, _ file: URL, _ parent: Progress"
            : """
            _ request: DownloadRequest, _ download: Download, _ downloader: Downloader, _ addresses: [String],
            _ pipe: Int32, _ token: ResumeToken
            """
        return "import Haul\n\(imports)\nfunc example(\(known)) async throws {\n\(body)}\n"
    }

    /// Where the headers of libraries are that lie beside the others.
    private static func libraryHeaders() async throws -> [String] {
        let asked = await (try ProcessRunner("/usr/bin/env", ["pkg-config", "--cflags", "libxml-2.0"])).wait()
        #expect(asked.status == .code(0), "\(asked.errorText)")
        return asked.outputText.split(whereSeparator: \.isWhitespace).flatMap { ["-Xcc", String($0)] }
    }
}
