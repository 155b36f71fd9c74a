/* tests/support/allocator.h: counting allocations, and letting one of them fail.
 *
 * A program whose name stands in cmake/tests.cmake is linked with --wrap for the functions of the
 * allocator, so that the calls of the library and of the test come here. Calls inside other shared
 * libraries (expat, qhull, HDF5) do not. */
#ifndef LIMPET_TEST_ALLOCATOR_H
#define LIMPET_TEST_ALLOCATOR_H

// Calls since allocator_reset that asked for memory, and how many of them were refused.
long allocator_calls(void);
long allocator_refusals(void);
// Forgets both counts. The call number `fail_at` (0: the next one) will be refused once; negative:
// none.
void allocator_reset(long fail_at);

#endif
