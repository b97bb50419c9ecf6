#ifndef HAUL_COPENSSL_SHIM_H
#define HAUL_COPENSSL_SHIM_H
#include <openssl/evp.h>
#endif
