#include "CAVIF.h"
