#pragma once
#include <curl/curl.h>

// Swift cannot call variadic functions: one typed wrapper per argument type.
static inline CURLcode calotype_curl_set_long(CURL *h, CURLoption o, long v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode calotype_curl_set_offset(CURL *h, CURLoption o, curl_off_t v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode calotype_curl_set_pointer(CURL *h, CURLoption o, void *v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode calotype_curl_set_string(CURL *h, CURLoption o, const char *v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode calotype_curl_set_list(CURL *h, CURLoption o, struct curl_slist *v) { return curl_easy_setopt(h, o, v); }
typedef size_t (*calotype_curl_write_callback)(char *, size_t, size_t, void *);
static inline CURLcode calotype_curl_set_write(CURL *h, CURLoption o, calotype_curl_write_callback f) { return curl_easy_setopt(h, o, f); }
typedef int (*calotype_curl_seek_callback)(void *, curl_off_t, int);
static inline CURLcode calotype_curl_set_read(CURL *h, calotype_curl_write_callback f) { return curl_easy_setopt(h, CURLOPT_READFUNCTION, f); }
static inline CURLcode calotype_curl_set_seek(CURL *h, calotype_curl_seek_callback f) { return curl_easy_setopt(h, CURLOPT_SEEKFUNCTION, f); }
static inline CURLcode calotype_curl_get_long(CURL *h, CURLINFO i, long *v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode calotype_curl_get_offset(CURL *h, CURLINFO i, curl_off_t *v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode calotype_curl_get_list(CURL *h, CURLINFO i, struct curl_slist **v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode calotype_curl_get_string(CURL *h, CURLINFO i, char **v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode calotype_curl_get_socket(CURL *h, curl_socket_t *v) { return curl_easy_getinfo(h, CURLINFO_ACTIVESOCKET, v); }
static inline CURLMcode calotype_curl_multi_set_long(CURLM *m, CURLMoption o, long v) { return curl_multi_setopt(m, o, v); }
static inline CURLcode calotype_curl_message_result(const CURLMsg *m) { return m->data.result; }
static inline CURLcode calotype_curl_set_prereq(CURL *h, curl_prereq_callback f) { return curl_easy_setopt(h, CURLOPT_PREREQFUNCTION, f); }
static inline CURLcode calotype_curl_set_open_socket(CURL *h, curl_opensocket_callback f) { return curl_easy_setopt(h, CURLOPT_OPENSOCKETFUNCTION, f); }
static inline CURLSHcode calotype_curl_share_set(CURLSH *s, CURLSHoption o, int v) { return curl_share_setopt(s, o, v); }
// The address behind the fixed part; longer than its declared type for IPv6.
static inline const struct sockaddr *calotype_curl_socket_address(const struct curl_sockaddr *a) { return &a->addr; }
// Casts of unsigned long, which Swift does not import.
static const long calotype_curlauth_basic = (long)CURLAUTH_BASIC;
static const long calotype_curlauth_digest = (long)CURLAUTH_DIGEST;
static const long calotype_curlauth_bearer = (long)CURLAUTH_BEARER;
