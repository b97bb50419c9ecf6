#ifndef HAUL_CCURL_SHIM_H
#define HAUL_CCURL_SHIM_H

#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>
#ifdef __linux__
#include <sys/prctl.h>
#elif defined(__APPLE__)
#include <pthread.h>
#endif

// CURLU_PUNYCODE came with 7.88; an older library ignores the bit.
#ifndef CURLU_PUNYCODE
#define CURLU_PUNYCODE (1 << 12)
#endif

// curl_easy_setopt and its sisters are variadic, which Swift cannot call: one function for each kind of argument.

static inline CURLcode haul_easy_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode haul_easy_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode haul_easy_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode haul_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode haul_easy_set_error_buffer(CURL *easy, char *buffer) {
    return curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, buffer);
}

static inline CURLcode haul_easy_set_share(CURL *easy, CURLSH *share) {
    return curl_easy_setopt(easy, CURLOPT_SHARE, share);
}

static inline CURLcode haul_easy_set_private(CURL *easy, void *context) {
    return curl_easy_setopt(easy, CURLOPT_PRIVATE, context);
}

// Basic only: with a second scheme libcurl would hold the password back until the server has said 401.
static inline CURLcode haul_easy_set_basic_auth(CURL *easy) {
    return curl_easy_setopt(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
}

static inline CURLcode haul_easy_set_digest_auth(CURL *easy) {
    return curl_easy_setopt(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_DIGEST);
}

static inline CURLcode haul_easy_set_body_callback(CURL *easy, curl_write_callback function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, function);
    return code ? code : curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
}

static inline CURLcode haul_easy_set_head_callback(CURL *easy, curl_write_callback function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, function);
    return code ? code : curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
}

static inline CURLcode haul_easy_set_request_callback(CURL *easy, curl_prereq_callback function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
    return code ? code : curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
}

static inline CURLcode haul_easy_set_socket_callback(CURL *easy, curl_sockopt_callback function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, function);
    return code ? code : curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, context);
}

static inline CURLcode haul_easy_set_progress_callback(
    CURL *easy, curl_xferinfo_callback function, void *context
) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, function);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_XFERINFODATA, context);
    return code ? code : curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
}

// Of <openssl/ssl.h>, whose thousands of names nobody else needs here.
struct ssl_st;
int SSL_get_shutdown(const struct ssl_st *ssl);
#define HAUL_SSL_RECEIVED_SHUTDOWN 2

// Whether the peer has said in TLS that it will send no more (close_notify): 1, 0, or -1 if that is not known.
static inline int haul_easy_peer_said_end(CURL *easy) {
    struct curl_tlssessioninfo *session = 0;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) || !session || !session->internals) return -1;
    if (session->backend != CURLSSLBACKEND_OPENSSL) return -1;
    return SSL_get_shutdown((const struct ssl_st *)session->internals) & HAUL_SSL_RECEIVED_SHUTDOWN ? 1 : 0;
}

static inline CURLcode haul_easy_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode haul_easy_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode haul_easy_get_string(CURL *easy, CURLINFO info, const char **value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode haul_easy_get_private(CURL *easy, void **value) {
    return curl_easy_getinfo(easy, CURLINFO_PRIVATE, value);
}

static inline CURLcode haul_easy_unpause(CURL *easy) {
    return curl_easy_pause(easy, CURLPAUSE_CONT);
}

static inline CURLMcode haul_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

// The next finished transfer, or NULL; its result in `code`.
static inline CURL *haul_multi_next_finished(CURLM *multi, CURLcode *code) {
    CURLMsg *message;
    int left = 0;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg == CURLMSG_DONE) {
            *code = message->data.result;
            return message->easy_handle;
        }
    }
    return 0;
}

static inline CURLSHcode haul_share_set_kind(CURLSH *share, curl_lock_data kind) {
    return curl_share_setopt(share, CURLSHOPT_SHARE, kind);
}

static inline CURLSHcode haul_share_set_locks(
    CURLSH *share, curl_lock_function lock, curl_unlock_function unlock, void *context
) {
    CURLSHcode code = curl_share_setopt(share, CURLSHOPT_LOCKFUNC, lock);
    if (!code) code = curl_share_setopt(share, CURLSHOPT_UNLOCKFUNC, unlock);
    return code ? code : curl_share_setopt(share, CURLSHOPT_USERDATA, context);
}

static inline CURLcode haul_global_init(void) {
    return curl_global_init(CURL_GLOBAL_DEFAULT);
}

static inline curl_version_info_data *haul_version_info(void) {
    return curl_version_info(CURLVERSION_NOW);
}

// Names the calling thread; prctl is variadic, and pthread_setname_np hidden without _GNU_SOURCE.
static inline void haul_name_thread(const char *name) {
#ifdef __linux__
    prctl(PR_SET_NAME, name);
#elif defined(__APPLE__)
    pthread_setname_np(name);
#endif
}

#endif
