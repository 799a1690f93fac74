#include "cpixels.h"
