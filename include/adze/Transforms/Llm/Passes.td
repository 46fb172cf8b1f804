// Passes on the llm dialect, in the order in which they run.
#ifndef ADZE_TRANSFORMS_LLM_PASSES_TD
#define ADZE_TRANSFORMS_LLM_PASSES_TD

include "adze/Transforms/NumericEffect.td"

def AssignNumericsPass : Adze_Pass<"llm-assign-numerics", "Rounds"> {
  let summary = "Says what is rounded: types, casts and quantization of activations";
  let description = [{
    Before this pass every activation is f32. After it types, `arith.truncf` and `llm.quantize` say all that is rounded.

    * `f32`: nothing is rounded; the cache holds f32.
    * `bf16`: operands of products are bf16 (inputs of linears by `arith.truncf`, their float weights by `llm.convert` in
      the weight's expression, queries, keys and values by `arith.truncf`); sums and the residual stay f32; the cache
      holds bf16. Weights of norms, biases and tables of frequencies stay as they are.
    * `a8`: as `bf16`, but linears with group-quantized weights take `llm.quantize`d inputs, one scale for each group of
      the weight.

    An activation with several readers is rounded once. Must not fire on a module that already has rounded activations
    (an error): numerics are assigned once. `exact` for f32, `rounds` for the others (bounds in docs/Numerics.md).

    Before, then after with numerics=a8:
    ```mlir
    %y = llm.quantized_linear %x, %c, %s scheme symmetric group 32 : (tensor<?x64xf32>, ..) -> tensor<?x32xf32>

    %q, %a, %u = llm.quantize %x group 32 : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xi32>
    %y = llm.quantized_linear %q scaled %a sum %u, %c, %s scheme symmetric group 32 : (..) -> tensor<?x32xf32>
    ```
  }];
  let options = [Option<"numerics", "numerics", "std::string", "\"f32\"", "f32, bf16 or a8">];
  let statistics = [Statistic<"casts", "casts", "activations rounded to bf16">,
                    Statistic<"quantizations", "quantizations", "activations quantized to int8">,
                    Statistic<"conversions", "conversions", "weights converted to bf16">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::adze::llm::LlmDialect"];
}

def FuseQkvPass : Adze_Pass<"llm-fuse-qkv", "Exact"> {
  let summary = "One product for queries, keys and values";
  let description = [{
    Three linears that read one activation, and whose results reach the query of an attention and the key and the value
    of the append before it, become one linear with the rows of the three weights one below the other
    (`llm.concat_rows` in the weight's expression, biases too), and three `llm.slice_columns` of its result. Each output
    is the same sum over the same inputs, so the result has the same bits.

    Must not fire when the linears differ in encoding, scheme, group, weight type or in having a bias, when they read
    different activations, or when a weight has another reader (it would be stored twice).

    ```mlir
    %q = llm.linear %x, %wq : ..   %k = llm.linear %x, %wk : ..   %v = llm.linear %x, %wv : ..

    %a = llm.linear %x, %wqkv : (tensor<?x64xf32>, tensor<128x64xf32>) -> tensor<?x128xf32>
    %q = llm.slice_columns %a offset 0 size 64 : ..   %k = llm.slice_columns %a offset 64 size 32 : ..   ..
    ```
  }];
  let statistics = [Statistic<"fused", "fused", "triples fused">, Statistic<"left", "left", "triples left as they are">];
  let dependentDialects = ["::adze::llm::LlmDialect"];
}

def FuseGateUpPass : Adze_Pass<"llm-fuse-gate-up", "Exact"> {
  let summary = "One product for the gate and the up projection";
  let description = [{
    Two linears that read one value, the one's result through an activation (`llm.silu`; any op with the interface
    `Activation`) and the other's multiplied with each other, become one linear (see llm-fuse-qkv) and two
    `llm.slice_columns`. Same bits as before.

    Must not fire when the linears differ in encoding, scheme, group, weight type or bias, read different values, or
    when a weight has another reader.

    ```mlir
    %g = llm.linear %x, %wg : ..   %u = llm.linear %x, %wu : ..   %s = llm.silu %g : ..   %m = llm.mul %s, %u : ..

    %a = llm.linear %x, %wgu : ..   %g = llm.slice_columns %a offset 0 size 96 : ..   ..
    ```
  }];
  let statistics = [Statistic<"fused", "fused", "pairs fused">, Statistic<"left", "left", "pairs left as they are">];
  let dependentDialects = ["::adze::llm::LlmDialect"];
}

def AssignKvOrderPass : Adze_Pass<"llm-assign-kv-order", "Exact"> {
  let summary = "Tokens of a page of the cache and the order of its keys";
  let description = [{
    Rewrites every `!llm.kv` type of the module, arguments and results of functions included: the page holds `page`
    tokens, and its keys lie in the target's order. What a page is changes no number: attention sums over absolute
    positions. Must not fire on anything but the type; a page of other than 16, 32 or 64 tokens is an error.

    ```mlir
    !llm.kv<layers = 2, heads = 1, dim = 16, element = f32, page = 64, keys = token_dim>

    !llm.kv<layers = 2, heads = 1, dim = 16, element = f32, page = 16, keys = dim_token>    page=16
    ```
  }];
  let options = [Option<"page", "page", "int64_t", "64", "tokens of a page: 16, 32 or 64">,
                 Option<"target", "target", "std::string", "\"x86-64-v3\"", "name of the target, as --cpu spells it">];
  let statistics = [Statistic<"types", "types", "cache types rewritten">];
  let dependentDialects = ["::adze::llm::LlmDialect"];
}

def AssignWeightPacksPass : Adze_Pass<"llm-assign-weight-packs", "Exact"> {
  let summary = "Storage order of weights";
  let description = [{
    Asks the target for the pack of each part of each linear's weight and writes it into the weight's expression
    (`llm.repack`) and on its type (`#llm.packed`). A table that an embedding and a linear share is stored once, in the
    linear's pack; the embedding reads rows of it. The last pass that rewrites weights.

    Must not fire on weights that no linear reads (norms, biases, tables of their own, but for 4-bit codes of a table,
    which have no order without a pack), or twice on one weight. Two
    linears that want different packs for one weight are an error.

    ```mlir
    llm.weight @w : tensor<32x64xf32> { %0 = .. llm.yield %0 : tensor<32x64xf32> }

    llm.weight @w : tensor<32x64xf32, #llm.packed<[16, 2], "..">> { %0 = .. %1 = llm.repack %0 : .. llm.yield %1 : .. }
    ```
  }];
  let options = [Option<"target", "target", "std::string", "\"x86-64-v3\"", "name of the target, as --cpu spells it">];
  let statistics = [Statistic<"packed", "packed", "weights given a storage order">];
  let dependentDialects = ["::adze::llm::LlmDialect"];
}

def InsertChoicePass : Adze_Pass<"llm-insert-choice", "Exact"> {
  let summary = "Tokens are chosen where the logits lie";
  let description = [{
    For a GPU, whose memory the host reads by copies alone: @step also returns the id of the best legal token of each row
    of logits (`llm.best_token`), as its last result. The host then copies the rows of logits of those requests only that
    want more than the best token. `legal` is `legal_tokens` of the module's `llm.model`, or all columns where nothing is
    said.

    Must not fire for a CPU, where the host reads logits in place; on a step whose first result is no f32 [rows, static
    columns]; on one that returns tokens already. A number of legal tokens that the columns do not hold is an error.

    ```mlir
    return %logits, %kv : tensor<?x104xf32>, !llm.kv<..>

    %id = llm.best_token %logits legal 100 : tensor<?x104xf32> -> tensor<?x1xi32>
    return %logits, %kv, %id : tensor<?x104xf32>, !llm.kv<..>, tensor<?x1xi32>
    ```
  }];
  let options = [Option<"target", "target", "std::string", "\"x86-64-v3\"",
                        "name of the target, as --cpu or --target spells it">];
  let statistics = [Statistic<"inserted", "inserted", "steps that return tokens from now on">];
  let dependentDialects = ["::adze::llm::LlmDialect"];
}

def FormKernelsPass : Adze_Pass<"llm-form-kernels", "Exact"> {
  let summary = "Groups the ops that become one kernel";
  let description = [{
    Puts every op of the step into an `llm.kernel`: first each op is a group of its own, then rules merge groups, one
    file and one statistic each:

    * `slice`: columns of an activation are read where they lie, by each reader;
    * `residual`: an add is the epilogue of a linear;
    * `gate`: activation(gate) * up is the epilogue of the linear that makes both, if their columns are whole tiles;
    * `cast`: rounding to bf16 is the epilogue of what it rounds;
    * `norm`: a norm is quantized or rounded by the kernel that makes it;
    * `rows`: gather_rows is the prologue of the norm that reads it;
    * `rope`: norms of heads, rotation and append are one kernel.

    A group says in `family` what it is, in `rows` whether its results have one row for each token ("T") or each output
    row ("R"), in `fused` which rules made it and in `unfused` which did not apply, and why (`adze inspect` prints them).
    Groups are isolated; equal groups differ in locations and operands alone. Fused and unfused have the same bits.

    A rule must not fire when a value that would become internal has readers outside, when the group would have to wait
    for its own result, or when a kernel's tiles do not cover what the epilogue needs.

    `rules` names the rules to use, `all` or `none`; `none` gives each op a kernel of its own, which is the form that
    tests compare with. A rule that is not named leaves `switched off by --fuse` in `unfused` of the kernel that it would
    have joined to another.
  }];
  let options = [Option<"rules", "rules", "std::string", "\"all\"", "all, none or names of rules separated by +">,
                 Option<"target", "target", "std::string", "\"x86-64-v3\"", "name of the target, as --cpu spells it">];
  let statistics = [Statistic<"kernels", "kernels", "groups formed">,
                    Statistic<"slices", "slice", "slices read in place">,
                    Statistic<"residuals", "residual", "adds that became epilogues">,
                    Statistic<"gates", "gate", "gated activations that became epilogues">,
                    Statistic<"casts", "cast", "casts that became epilogues">,
                    Statistic<"norms", "norm", "norms that round or quantize their result">,
                    Statistic<"gathers", "rows", "gathers that became prologues">,
                    Statistic<"ropes", "rope", "rotations and appends joined">];
  let dependentDialects = ["::adze::llm::LlmDialect"];
}

def VerifyKernelsPass : Adze_Pass<"llm-verify-kernels", "Exact"> {
  let summary = "The end of phase llm: all is groups";
  let description = [{
    Changes nothing. Fails, naming the op, unless every function of the module holds `llm.get_weight`, constants of type
    index, `llm.kernel` and `func.return` alone, every group has a `family` and `rows`, takes its operands in the order of the
    kernel's description, and no group changes the cache that
    a later one still reads in its old form.
  }];
  let statistics = [Statistic<"groups", "groups", "groups checked">];
}

def ChooseSchedulesPass : Adze_Pass<"llm-choose-schedules", "Exact"> {
  let summary = "The row of the target's table that each kernel is built by";
  let description = [{
    Writes `schedule` on every `llm.kernel`: the target's row for the root's family, the weight's encoding and shape and
    the numerics, with the storage order of the weight and the order of sums `invariant`. convert-llm-to-tile builds by
    it, and `adze inspect` shows it. A row changes how fast a kernel is, never a bit of its result: `exact`. Beside the row
    of a GPU stand `warps`, the warps of a block; `stages`, the slots that copies of a product's operands fill
    (tile-pipeline-loads); and `small_steps`, rows of the same product for steps of at most their `tokens`, ascending. Two
    numbers stand there that fix bits, for attention in bf16 alone: `matrix_rows`, rows of a product (tokens times query
    heads) by matrix instructions, which round probabilities; `kv_split`, positions of a run of rows after the prompt, an
    order of sums. docs/Numerics.md has both.

    Must not replace a schedule that is there already (written by a person or a tuner, `--start-from`): that one is kept
    and checked. Refused, by name: an order of sums other than `invariant`; a storage order other than the weight's;
    columns or a depth that are no whole blocks of it; a depth other than the group of a quantized weight; columns that
    cut a gated product's halves; for a kernel without a product anything but the target's row; `matrix_rows` that no
    instruction has, or `kv_split` that cuts a tile of 64 positions; either of them for what is no attention in bf16.

    ```mlir
    %y = llm.kernel family "linear" (%x as %a, %w as %b : ..) -> (..) attributes {rows = "T"} {..}

    %y = llm.kernel family "linear" (%x as %a, %w as %b : ..) -> (..) attributes {rows = "T",
        schedule = #llm.schedule<tokens = 4, columns = 16, depth = 32, sums = invariant, pack = <[8, 8], "..">>} {..}
    ```
  }];
  let options = [Option<"target", "target", "std::string", "\"x86-64-v3\"", "name of the target, as --cpu spells it">];
  let statistics = [Statistic<"chosen", "chosen", "kernels given the target's row">,
                    Statistic<"kept", "kept", "kernels that had a schedule">];
  let dependentDialects = ["::adze::llm::LlmDialect"];
}

#endif // ADZE_TRANSFORMS_LLM_PASSES_TD
