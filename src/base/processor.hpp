// Functions compiled for several levels of processors, of which the program takes one when it starts.
#pragma once

#include <string>

// Before the definition of a function: compiled twice on x86-64, for processors with AVX2 (x86-64-v3) and for
// all others that Kiln runs on (v2). What is inlined into it is compiled along; what it calls is not. Both
// give the same bits: no floating-point operation is contracted (-ffp-contract=off). For functions that live
// on vector instructions. With judging and carrying out copies at three levels, too, runs were slower by 0 to
// 10%, and AVX-512 alone by 4 to 8% (a Xeon with both, GCC 13). Elsewhere the baseline is as good, and with
// KILN_NATIVE all is compiled for the processor at hand.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(KILN_LEVELS)
#define KILN_ALL_LEVELS [[gnu::target_clones("arch=x86-64-v3", "default")]]
#else
#define KILN_ALL_LEVELS
#endif

namespace kiln {

// The level that runs here, as "x86-64-v3 of v2, v3"; what it was compiled for where there is one level
// only.
std::string processor_level();

}  // namespace kiln
