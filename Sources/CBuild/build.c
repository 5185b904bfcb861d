#include "CBuild.h"

const char *offerd_commit(void) {
    return OFFERD_COMMIT;
}
