#ifndef HAUL_CXML_SHIM_H
#define HAUL_CXML_SHIM_H
#include <libxml/xmlversion.h>
// Debian's headers include ICU's, which are not Foundation's: no module may see both.
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>

// A macro that Swift does not see.
static inline unsigned haul_xml_sax2_magic(void) { return XML_SAX2_MAGIC; }
#endif
