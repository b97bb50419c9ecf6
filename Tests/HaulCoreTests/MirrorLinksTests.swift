import HaulCore
import Testing

@Suite struct MirrorLinksTests {
    private func links(_ lines: String...) -> MirrorLinks {
        MirrorLinks(HTTPFields(lines.map { HTTPField("Link", $0) }))
    }

    @Test func copiesComeByPriority() {
        let links = links(
            "<http://c.test/f,1;x>; rel=duplicate, <http://b.test/f>; rel=\"duplicate\"; pri=2; geo=gb; pref",
            "<http://a.test/f>;rel=duplicate;pri=1,</f.meta4>; rel=describedby; type=\"application/metalink4+xml\"")
        #expect(links.duplicates == ["http://a.test/f", "http://b.test/f", "http://c.test/f,1;x"])
        #expect(links.descriptions == ["/f.meta4"])
    }

    @Test(arguments: [
        "", "<", "<>", "http://a.test/; rel=duplicate", "<http://a.test/>", "<http://a.test/>; rel=next",
        "<http://a.test/>; rel=describedby; type=text/html", "<http://a.test/>; title=\"rel=duplicate\"",
        "<http://a.test/>; rel=next; rel=duplicate", "; rel=duplicate", "<http://a.test/>; rel=\"\\",
    ])
    func othersAreNone(_ line: String) {
        #expect(links(line) == MirrorLinks())
    }

    @Test func severalRelationsInOne() {
        #expect(links("<x>; REL=\"next Duplicate\"").duplicates == ["x"])
        #expect(links("<x>; rel=duplicate; pri=zero, <y>; rel=duplicate; pri=9").duplicates == ["y", "x"])
    }

    @Test func noMoreThanAFew() {
        let line = (0..<500).map { "<http://a.test/\($0)>; rel=duplicate" }.joined(separator: ", ")
        #expect(links(line).duplicates.count == 64)
    }
}
