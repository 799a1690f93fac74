#pragma once
#include <stddef.h>

/* System calls as a program under attack makes them. They return negative errno values. */

/* Makes a call by its number. */
long chostile_call(long number, long a, long b, long c, long d, long e, long f);

/* Makes a call of 32-bit x86 programs; -ENOSYS on other machines. */
long chostile_call_32(long number, long a, long b, long c);

/* Writes to address 8. */
void chostile_write_null(void);

/* Calls itself until the stack ends. */
size_t chostile_recurse(size_t depth);
