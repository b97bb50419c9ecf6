import HaulCore
import Testing

/// Directory and name of a path.
@Suite struct PathPartsTests {
    @Test(arguments: [
        ("f", "", "f", "."), ("d/f", "d/", "f", "d"), ("/f", "/", "f", "/"), ("/d/e/f", "/d/e/", "f", "/d/e"),
        ("d/", "d/", "", "d"), ("./f", "./", "f", "."), ("", "", "", "."), ("d//f", "d//", "f", "d/"),
        ("ä/ö", "ä/", "ö", "ä"),
    ])
    func parts(_ path: String, _ directory: String, _ name: String, _ parent: String) {
        let parts = PathParts(path)
        #expect(parts.directory == directory && parts.name == name && parts.parent == parent)
        #expect(parts.directory + parts.name == path)
    }
}
