// SPDX-License-Identifier: MIT
// view_server.c - see view_server.h.
//
// Note: one thread does it all, steps and sockets in turn; a step itself is made by all threads.
//       What a page sends is not read on before it was answered and the answer is gone, so no queue
//       grows with its speed.

// getrandom
#define _DEFAULT_SOURCE

#include "view_server.h"

#include <libwebsockets.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define HOST "127.0.0.1"
#define PORTS 20    // that are tried
#define MAX_PAGES 8 // that are served at the same time
#define MAX_SOCKETS 64
#define TOKEN_SIZE 33                // two digits a byte, and the end
#define PIECE_SIZE ((size_t)1 << 20) // of a message, that is sent at once
#define MAX_ADDRESS 256
#define IDLE 0.1 // s between looks for Ctrl-C

_Static_assert(LWS_PRE <= CLI_MESSAGE_ROOM, "messages need more room in front");

/// A WebSocket, or nothing yet.
typedef struct Page {
    CliEngine* engine; ///< NULL: plain HTTP
    char* heard;       ///< what has come of a message
    size_t heardSize, heardCapacity;
    CliMessage* message; ///< that is being sent
    size_t sentSize;
    bool isClosing; ///< when all is sent
    enum lws_close_status closeStatus;
    struct lws* socket;
} Page;

typedef struct Server {
    const CliServerDef* def;
    char token[TOKEN_SIZE];
    int port;
    Page* pages[MAX_PAGES];
    lws_sorted_usec_list_t timer;
} Server;

// ---- who may come in -----------------------------------------------------------------------

static bool makeToken(char out[TOKEN_SIZE]) {
    unsigned char bytes[(TOKEN_SIZE - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        return false;
    }
    for (size_t i = 0; i < sizeof bytes; ++i) {
        snprintf(&out[2 * i], 3, "%02x", bytes[i]);
    }
    return true;
}

/// Takes as long for a wrong token as for the right one.
static bool isToken(const Server* s, const char* text) {
    unsigned difference = 0;
    size_t length = strnlen(text, TOKEN_SIZE - 1);
    for (size_t i = 0; i < TOKEN_SIZE - 1; ++i) {
        difference |= (unsigned)(s->token[i] ^ (i < length ? text[i] : '\0'));
    }
    return difference == 0;
}

/// Whether a text is this server's own address, with `before` in front of it.
static bool isOwnHost(const Server* s, const char* before, const char* text) {
    static const char* const names[] = {HOST, "localhost"};
    char wanted[64];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        snprintf(wanted, sizeof wanted, "%s%s:%d", before, names[i], s->port);
        if (strcmp(wanted, text) == 0) {
            return true;
        }
    }
    return false;
}

/// The host's name keeps pages of others from reaching this machine under a name of their own.
static bool isForUs(const Server* s, struct lws* socket) {
    char host[MAX_ADDRESS] = "";
    lws_hdr_copy(socket, host, sizeof host, WSI_TOKEN_HOST);
    return isOwnHost(s, "", host);
}

/// What stands behind "/TOKEN/", or NULL without the token.
static const char* findName(const Server* s, const char* path) {
    return path[0] == '/' && isToken(s, path + 1) && path[TOKEN_SIZE] == '/' ? path + TOKEN_SIZE + 1
                                                                             : NULL;
}

// ---- files ---------------------------------------------------------------------------------

static const char* findType(const char* name) {
    static const struct {
        const char *ending, *type;
    } rows[] = {{".html", "text/html; charset=utf-8"},
                {".js", "text/javascript"},
                {".css", "text/css"},
                {".wasm", "application/wasm"}};
    const char* dot = strrchr(name, '.');
    for (size_t i = 0; dot != NULL && i < sizeof rows / sizeof rows[0]; ++i) {
        if (strcmp(dot, rows[i].ending) == 0) {
            return rows[i].type;
        }
    }
    return NULL;
}

/// Files lie in one folder: nothing with a way in it, nothing hidden.
static bool isPlainName(const char* name) {
    return name[0] != '.' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
               strlen(name);
}

static int refuse(struct lws* socket, unsigned status, const char* words) {
    return lws_return_http_status(socket, status, words) != 0 ||
                   lws_http_transaction_completed(socket) != 0
               ? -1
               : 0;
}

static int serveFile(const Server* s, struct lws* socket, const char* path) {
    // memory may be shared between threads only by a page that lets nobody else in
    static const char headers[] = "cache-control: no-cache\r\n"
                                  "x-content-type-options: nosniff\r\n"
                                  "referrer-policy: no-referrer\r\n"
                                  "cross-origin-opener-policy: same-origin\r\n"
                                  "cross-origin-embedder-policy: require-corp\r\n";
    const char* name = findName(s, path);
    if (name == NULL || !isForUs(s, socket)) {
        return refuse(socket, HTTP_STATUS_FORBIDDEN,
                      "Open the address that 'sudar view' printed, with its token.");
    }
    if (lws_hdr_total_length(socket, WSI_TOKEN_GET_URI) == 0) {
        return refuse(socket, HTTP_STATUS_METHOD_NOT_ALLOWED, "There is nothing to be sent.");
    }
    name = name[0] == '\0' ? "index.html" : name;
    const char* type = isPlainName(name) ? findType(name) : NULL;
    char file[1024];
    int length = snprintf(file, sizeof file, "%s/%s", s->def->page, name);
    FILE* there = type != NULL && length < (int)sizeof file ? fopen(file, "rb") : NULL;
    if (there == NULL) {
        return refuse(socket, HTTP_STATUS_NOT_FOUND, "There is no such file.");
    }
    fclose(there);
    int n = lws_serve_http_file(socket, file, type, headers, (int)sizeof headers - 1);
    return n < 0 || (n > 0 && lws_http_transaction_completed(socket) != 0) ? -1 : 0;
}

/// @return 0 for a stream that may be taken up, 1 for one that was refused
static int checkUpgrade(const Server* s, struct lws* socket) {
    char path[MAX_ADDRESS] = "", origin[MAX_ADDRESS] = "";
    lws_hdr_copy(socket, path, sizeof path, WSI_TOKEN_GET_URI);
    lws_hdr_copy(socket, origin, sizeof origin, WSI_TOKEN_ORIGIN);
    const char* name = findName(s, path);
    const char* words = NULL;
    if (name == NULL || !isForUs(s, socket)) {
        words = "Open the address that 'sudar view' printed, with its token.";
    } else if (!isOwnHost(s, "http://", origin)) {
        words = "The stream is for the page of the same address only.";
    } else if (strcmp(name, "stream") != 0) {
        words = "There is no such stream.";
    }
    if (words != NULL) {
        lws_return_http_status(socket, HTTP_STATUS_FORBIDDEN, words);
        return 1;
    }
    return 0;
}

// ---- streams -------------------------------------------------------------------------------

/// One that there is no room for has no engine, and is closed as soon as it can be told so.
static void openPage(Server* s, Page* page, struct lws* socket) {
    *page = (Page){.socket = socket};
    for (int i = 0; i < MAX_PAGES && page->engine == NULL; ++i) {
        if (s->pages[i] == NULL) {
            page->engine = CliEngine_Create(s->def->subject, s->def->def, s->def->tasks);
            s->pages[i] = page->engine != NULL ? page : NULL;
        }
    }
    page->isClosing = page->engine == NULL;
    page->closeStatus = LWS_CLOSE_STATUS_POLICY_VIOLATION;
    lws_callback_on_writable(socket);
}

static void closePage(Server* s, Page* page) {
    for (int i = 0; i < MAX_PAGES; ++i) {
        s->pages[i] = s->pages[i] == page ? NULL : s->pages[i];
    }
    CliEngine_Destroy(page->engine);
    CliMessage_Free(page->message);
    free(page->heard);
    *page = (Page){0};
}

/// Say what is wrong and close when that is sent.
static void closeWith(Page* page, enum lws_close_status status, const char* words) {
    if (words != NULL) {
        CliEngine_Say(page->engine, words);
    }
    page->isClosing = true;
    page->closeStatus = status;
    page->heardSize = 0;
    lws_callback_on_writable(page->socket);
}

static bool keep(Page* page, const void* bytes, size_t size) {
    size_t needed = page->heardSize + size;
    // also for a message of nothing at all
    if (needed >= page->heardCapacity) {
        size_t capacity = 2 * needed + 1;
        char* heard = realloc(page->heard, capacity);
        if (heard == NULL) {
            return false;
        }
        page->heard = heard;
        page->heardCapacity = capacity;
    }
    if (size > 0) {
        memcpy(page->heard + page->heardSize, bytes, size);
    }
    page->heardSize = needed;
    return true;
}

static int hearPage(Page* page, const void* bytes, size_t size) {
    if (page->isClosing) {
        return 0;
    }
    if (page->heardSize + size > CLI_MESSAGE_MAX_HEARD) {
        char words[80];
        snprintf(words, sizeof words, "a message is larger than %zu MiB",
                 CLI_MESSAGE_MAX_HEARD >> 20);
        closeWith(page, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, words);
        return 0;
    }
    if (!keep(page, bytes, size)) {
        return -1;
    }
    if (lws_remaining_packet_payload(page->socket) > 0 || !lws_is_final_fragment(page->socket)) {
        return 0;
    }
    if (!CliEngine_Hear(page->engine, page->heard, page->heardSize)) {
        closeWith(page, LWS_CLOSE_STATUS_INVALID_PAYLOAD, NULL);
    }
    page->heardSize = 0;
    // answers first
    lws_rx_flow_control(page->socket, 0);
    lws_callback_on_writable(page->socket);
    return 0;
}

/// One piece of a message; more when there is room again.
static int sendToPage(Page* page) {
    if (page->message == NULL && page->engine != NULL) {
        page->message = CliEngine_Take(page->engine);
        page->sentSize = 0;
    }
    if (page->message == NULL) {
        if (page->isClosing) {
            static const char words[] = "too many pages are open";
            lws_close_reason(page->socket, page->closeStatus, (unsigned char*)words,
                             page->engine == NULL ? sizeof words - 1 : 0);
            return -1;
        }
        lws_rx_flow_control(page->socket, 1);
        return 0;
    }
    CliMessage* m = page->message;
    size_t left = m->size - page->sentSize;
    size_t size = left < PIECE_SIZE ? left : PIECE_SIZE;
    int flags = lws_write_ws_flags(LWS_WRITE_BINARY, page->sentSize == 0, size == left);
    if (lws_write(page->socket, m->bytes + page->sentSize, size, (enum lws_write_protocol)flags) <
        (int)size) {
        return -1;
    }
    page->sentSize += size;
    if (page->sentSize == m->size) {
        CliMessage_Free(m);
        page->message = NULL;
    }
    lws_callback_on_writable(page->socket);
    return 0;
}

static int answer(struct lws* socket, enum lws_callback_reasons reason, void* user, void* in,
                  size_t size) {
    Server* s = lws_context_user(lws_get_context(socket));
    switch (reason) {
        case LWS_CALLBACK_HTTP:
            return serveFile(s, socket, in);
        case LWS_CALLBACK_HTTP_FILE_COMPLETION:
            return lws_http_transaction_completed(socket) != 0 ? -1 : 0;
        case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
            return checkUpgrade(s, socket);
        case LWS_CALLBACK_ESTABLISHED:
            openPage(s, user, socket);
            return 0;
        case LWS_CALLBACK_RECEIVE:
            return hearPage(user, in, size);
        case LWS_CALLBACK_SERVER_WRITEABLE:
            return sendToPage(user);
        case LWS_CALLBACK_CLOSED:
            closePage(s, user);
            return 0;
        default:
            return 0;
    }
}

// ---- the loop ------------------------------------------------------------------------------

static void wake(lws_sorted_usec_list_t* timer) {
    (void)timer;
}

/// Let every page's engine work.
/// @return s until there is something to do
static double workAll(Server* s) {
    double wait = IDLE;
    for (int i = 0; i < MAX_PAGES; ++i) {
        Page* page = s->pages[i];
        if (page != NULL && !page->isClosing) {
            wait = fmin(wait, CliEngine_Work(page->engine));
            if (CliEngine_HasMessages(page->engine)) {
                lws_callback_on_writable(page->socket);
            }
        }
    }
    return wait;
}

static struct lws_context* openSocket(Server* s) {
    static const struct lws_protocols protocols[] = {
        {"sudar", answer, sizeof(Page), 1 << 16, 0, NULL, 0}, {NULL, NULL, 0, 0, 0, NULL, 0}};
    int tries = s->def->isPortGiven ? 1 : PORTS;
    for (int i = 0; i < tries; ++i) {
        struct lws_context_creation_info info = {
            .port = s->def->port + i,
            .iface = HOST,
            .protocols = protocols,
            .user = s,
            .gid = -1,
            .uid = -1,
            .options = LWS_SERVER_OPTION_DISABLE_IPV6 | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND,
            .fd_limit_per_thread = MAX_SOCKETS,
            .vhost_name = HOST,
        };
        struct lws_context* context = lws_create_context(&info);
        if (context != NULL) {
            s->port = lws_get_vhost_listen_port(lws_get_vhost_by_name(context, HOST));
            return context;
        }
    }
    return NULL;
}

CliExit CliServer_Run(const CliServerDef* def) {
    Server server = {.def = def};
    if (!makeToken(server.token)) {
        return Cli_Fail(CLI_FAILED, "view", "the system has no random numbers for a token");
    }
    lws_set_log_level(0, NULL);
    struct lws_context* context = openSocket(&server);
    if (context == NULL) {
        return Cli_Fail(CLI_FAILED, "view", "port %d of this machine is taken%s", def->port,
                        def->isPortGiven ? "; leave out --port to have a free one found"
                                         : ", and so are those after it; try --port");
    }
    def->announce(def->user, server.port, server.token);
    Cli_CatchSignals();
    while (!Cli_IsStopped()) {
        double wait = workAll(&server);
        lws_sul_schedule(context, 0, &server.timer, wake, (lws_usec_t)(1e6 * wait) + 1);
        lws_service(context, wait > 0.0 ? 0 : -1);
    }
    lws_sul_cancel(&server.timer);
    lws_context_destroy(context);
    return CLI_OK;
}
