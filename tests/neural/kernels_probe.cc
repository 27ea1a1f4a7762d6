// Prints what the kernels of src/syntagma/neural/vectors.h compute, as bits: a line for each set of
// instructions that this processor has, and each kernel. For test_kernels.py.

#include <cstdio>
#include <vector>

#include "vectors.h"

typedef std::vector<float> Floats;

static uint64_t random_state = 1;

static float random_float() {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (float)(int32_t)(random_state >> 32) / 1e9f;
}

static Floats random_floats(int size) {
    Floats x(size);
    for (float& each : x) each = random_float();
    return x;
}

static void print(const Kernels& kernels, const char* name, const Floats& x) {
    uint64_t hash = 14695981039346656037u;
    for (float each : x) {
        uint32_t bits;
        std::memcpy(&bits, &each, sizeof bits);
        hash = (hash ^ bits) * 1099511628211u;
    }
    std::printf("%s\t%s\t%016llx\n", kernels.instructions, name, (unsigned long long)hash);
}

static void probe(const Kernels& kernels) {
    random_state = 1;
    const int size = 96, odd = 53, from = 37, rows = 7, to = 75; // full panels, and rests
    Floats a = random_floats(size), b = random_floats(size), c = random_floats(size);
    const float* both[] = {a.data(), b.data()};
    Floats x = c;
    kernels.add_rows(x.data(), both, 2, size);
    print(kernels, "add_rows", x);
    print(kernels, "rectified_dot", {kernels.rectified_dot(both, 2, c.data(), size)});
    x = c;
    kernels.add_scaled(x.data(), a.data(), 0.3f, odd);
    print(kernels, "add_scaled", x);
    std::vector<signed char> bytes(size);
    for (int i = 0; i < size; i++) bytes[i] = (signed char)(i * 37);
    x = c;
    kernels.add_scaled_bytes(x.data(), bytes.data(), 0.3f, odd);
    print(kernels, "add_scaled_bytes", x);
    print(kernels, "sum", {kernels.sum(a.data(), odd)});
    Floats squares(size);
    x = a;
    float square = kernels.centre_and_square(a.data(), 0.1f, x.data(), squares.data(), odd);
    print(kernels, "centre_and_square", {square});
    print(kernels, "centre_and_square", x);
    x = a;
    kernels.scale_and_shift(x.data(), 0.7f, b.data(), c.data(), odd);
    print(kernels, "scale_and_shift", x);
    Floats left = random_floats(rows * from), panels = random_floats(from * 3 * PANEL);
    Floats bias = random_floats(3 * PANEL), out(rows * to);
    kernels.multiply(left.data(), rows, from, panels.data(), bias.data(), to, out.data());
    print(kernels, "multiply", out);
}

int main() {
    std::printf("compiler\t%s\nchosen\t%s\n", COMPILER, chosen.instructions);
    probe(baseline::kernels);
#if defined(__x86_64__) || defined(_M_X64)
    if (&best_kernels() != &baseline::kernels) probe(avx2::kernels);
    if (&best_kernels() == &avx512::kernels) probe(avx512::kernels);
#endif
}
