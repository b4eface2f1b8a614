// Hot functions compiled for several levels of processors, of which the program takes one when it starts.
#pragma once

#include <string>

// Before the definition of a function: compiled three times on x86-64, for processors with AVX-512, with AVX2
// and for all others that Kiln runs on (x86-64-v4, v3, v2). What is inlined into it is compiled along; what
// it calls is not. All give the same bits: floating-point operations are the same in all, as none is
// contracted (-ffp-contract=off). Elsewhere the baseline is as good, and with KILN_NATIVE all is compiled for
// the processor at hand.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(KILN_LEVELS)
#define KILN_ALL_LEVELS [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#else
#define KILN_ALL_LEVELS
#endif

namespace kiln {

// The level that runs here, as "x86-64-v3 of v2, v3, v4"; what it was compiled for where there is one level
// only.
std::string processor_level();

}  // namespace kiln
