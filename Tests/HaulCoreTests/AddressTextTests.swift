import HaulCore
import Testing

@Suite struct AddressTextTests {
    @Test(arguments: [
        ("http://me:secret@ho st/x", "http://ho st/x"), ("http://h:99999/x?token=1", "http://h:99999/x?…"),
        ("ftp://me:secret@h/x#secret", "ftp://h/x?…"), ("http://me:se/cret@h/x", "http://h/x"), ("me:secret@@h", "h"),
        ("http:/me:secret@h/x", "http:/h/x"), ("http://me:secret@", "http://"), ("", ""), ("x y", "x y"),
        ("//me:secret@h", "h"),
    ])
    func secretsAreNotShown(text: String, shown: String) { #expect(AddressText.shown(text) == shown) }
}
