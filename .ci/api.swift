// Prints the public declarations of a module from the compiler's symbol graphs, sorted, one a line.
// Usage: swift .ci/api.swift GRAPHS MODULE

import Foundation

struct Graph: Decodable {
    struct Symbol: Decodable {
        struct Identifier: Decodable { var precise: String }
        struct Fragment: Decodable { var spelling: String }
        var identifier: Identifier
        var pathComponents: [String]
        var declarationFragments: [Fragment]?
    }
    struct Relationship: Decodable {
        var kind: String
        var source: String
        var target: String
        var targetFallback: String?
    }
    var symbols: [Symbol]
    var relationships: [Relationship]
}

let (folder, module) = (CommandLine.arguments[1], CommandLine.arguments[2])
// What a module adds to another's types is in a graph of its own.
let files = try FileManager.default.contentsOfDirectory(atPath: folder)
    .filter { $0 == module + ".symbols.json" || $0.hasPrefix(module + "@") }
guard files.contains(module + ".symbols.json") else { fatalError("no symbol graph of \(module) in \(folder)") }

var lines: Set<String> = []
for file in files {
    let data = try Data(contentsOf: URL(fileURLWithPath: folder).appendingPathComponent(file))
    let graph = try JSONDecoder().decode(Graph.self, from: data)
    var names: [String: String] = [:]
    // Those that a protocol's extension gives belong to the protocol's module.
    for symbol in graph.symbols where !symbol.identifier.precise.contains("::SYNTHESIZED::") {
        let name = symbol.pathComponents.joined(separator: ".")
        names[symbol.identifier.precise] = name
        let declaration = (symbol.declarationFragments ?? []).map(\.spelling).joined()
        lines.insert(name + "\t" + declaration.split(whereSeparator: \.isWhitespace).joined(separator: " "))
    }
    for relationship in graph.relationships where relationship.kind == "conformsTo" {
        guard let name = names[relationship.source] else { continue }
        let target = relationship.targetFallback ?? names[relationship.target] ?? relationship.target
        lines.insert(name + "\t: " + target)
    }
}
for line in lines.sorted() { print(line) }
