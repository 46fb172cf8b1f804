// Two texts of the same kernels. Those for a GPU take the argument block as one parameter or, sum_neighbours, as words.
#include "ConformanceKernels.h"

using namespace adze;

namespace {
const ConformanceArguments &read(const void *a) { return *static_cast<const ConformanceArguments *>(a); }
int64_t blocks(const void *a) { return read(a).count / kPerBlock; }
int64_t oneBlock(const void *) { return 1; }

void addOne(const void *a, int64_t first, int64_t last) {
  for (int64_t i = first * kPerBlock; i < last * kPerBlock; ++i)
    ++read(a).values[i];
}
void sumNeighbours(const void *a, int64_t first, int64_t last) {
  const ConformanceArguments &block = read(a);
  for (int64_t i = first * kPerBlock; i < last * kPerBlock; ++i)
    block.sums[i] = block.values[i] + block.values[block.count - 1 - i];
}
void doNothing(const void *, int64_t, int64_t) {}

const AdzeKernel kKernels[kKernelCount] = {
    {"add", "test", addOne, blocks},        {"sum", "test", sumNeighbours, blocks},
    {"nothing", "test", doNothing, blocks}, {"trap", "test", doNothing, oneBlock},
    {"null", "test", doNothing, oneBlock},  {"long", "test", doNothing, oneBlock}};

constexpr char kPtx[] = R"ptx(.version 7.0
.target sm_75
.address_size 64

.visible .entry add_one(.param .align 8 .b8 block[24])
{
  .reg .b32 %block, %thread, %i;
  .reg .b64 %values, %offset, %value;
  mov.u32 %block, %ctaid.x;
  mov.u32 %thread, %tid.x;
  mad.lo.s32 %i, %block, 16, %thread;
  ld.param.u64 %values, [block];
  mul.wide.s32 %offset, %i, 8;
  add.s64 %values, %values, %offset;
  ld.global.u64 %value, [%values];
  add.s64 %value, %value, 1;
  st.global.u64 [%values], %value;
  ret;
}

.visible .entry sum_neighbours(.param .u64 values, .param .u64 sums, .param .u64 count)
{
  .reg .b32 %block, %thread, %i;
  .reg .b64 %values, %sums, %count, %offset, %other, %a, %b;
  mov.u32 %block, %ctaid.x;
  mov.u32 %thread, %tid.x;
  mad.lo.s32 %i, %block, 16, %thread;
  ld.param.u64 %values, [values];
  ld.param.u64 %sums, [sums];
  ld.param.u64 %count, [count];
  mul.wide.s32 %offset, %i, 8;
  shl.b64 %other, %count, 3;
  sub.s64 %other, %other, 8;
  sub.s64 %other, %other, %offset;
  add.s64 %other, %values, %other;
  ld.global.u64 %b, [%other];
  add.s64 %values, %values, %offset;
  ld.global.u64 %a, [%values];
  add.s64 %a, %a, %b;
  add.s64 %sums, %sums, %offset;
  st.global.u64 [%sums], %a;
  ret;
}

.visible .entry do_nothing(.param .align 8 .b8 block[24])
{
  ret;
}

.visible .entry trap(.param .align 8 .b8 block[24])
{
  trap;
  ret;
}

.visible .entry write_to_null(.param .align 8 .b8 block[24])
{
  .reg .b64 %zero;
  mov.u64 %zero, 0;
  st.global.u64 [%zero], %zero;
  ret;
}

.visible .entry run_long(.param .align 8 .b8 block[24])
{
  .reg .b64 %limit, %start, %now;
  .reg .pred %go;
  ld.param.u64 %limit, [block+16];
  mov.u64 %start, %globaltimer;
again:
  mov.u64 %now, %globaltimer;
  sub.s64 %now, %now, %start;
  setp.lt.s64 %go, %now, %limit;
  @%go bra again;
  ret;
}
)ptx";
} // namespace

AdzeProgram adze::conformanceProgram(int32_t (*step)(const AdzeStep *, const AdzeServices *)) {
  return {ADZE_PROGRAM_VERSION, kKernelCount, kKernels, 2, 1, -1, step};
}

KernelImage adze::conformanceImage() {
  KernelImage image;
  image.code = {"sm_75", 0, {reinterpret_cast<const uint8_t *>(kPtx), sizeof(kPtx)}};
  for (const char *name : {"add_one", "sum_neighbours", "do_nothing", "trap", "write_to_null", "run_long"})
    image.kernels.push_back({name, uint32_t(kPerBlock), 0, sizeof(ConformanceArguments)});
  return image;
}
