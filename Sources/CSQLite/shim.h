#pragma once
#include <sqlite3.h>

// Swift cannot import SQLITE_TRANSIENT, which is a cast. SQLite copies the text before this returns.
static inline int coterie_sqlite_bind_text_copy(sqlite3_stmt *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

// The same for bytes. An empty value may have no address, and SQLite would then bind NULL.
static inline int coterie_sqlite_bind_blob_copy(sqlite3_stmt *statement, int index, const void *bytes, int length) {
    return sqlite3_bind_blob(statement, index, length ? bytes : "", length, SQLITE_TRANSIENT);
}

// Swift cannot call sqlite3_db_config, which is variadic.
static inline int coterie_sqlite_set_defensive(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}
