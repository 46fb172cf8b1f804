// ModuleMutator.cpp: the mutations. Attributes and types are changed through their text (a number here, a word there),
// which reaches the parameters of every dialect's attributes and types without knowing one of them.
#include "ModuleMutator.h"

#include "adze/Pipeline/ModuleText.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace adze::fuzz {

void Ingredients::collect(ModuleOp module) {
  // Long constants are noise; printing them would be most of the time.
  auto small = [](Attribute attribute) { return !isa<ElementsAttr, LocationAttr>(attribute); };
  AttrTypeWalker walker;
  walker.addWalk([&](Attribute attribute) {
    if (small(attribute) && seen.insert(attribute.getAsOpaquePointer()).second)
      attributes.push_back(attribute);
  });
  walker.addWalk([&](Type type) {
    if (seen.insert(type.getAsOpaquePointer()).second)
      types.push_back(type);
  });
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (NamedAttribute attribute : op->getAttrDictionary())
      walker.walk(attribute.getValue());
    for (Type type : op->getResultTypes())
      walker.walk(type);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          walker.walk(type);
  });
}

namespace {

/// Numbers at which something ends: sizes, signs, powers of two, the ends of 8, 16, 32 and 64 bits.
constexpr const char *kNumbers[] = {"0",
                                    "1",
                                    "2",
                                    "3",
                                    "4",
                                    "5",
                                    "7",
                                    "8",
                                    "15",
                                    "16",
                                    "17",
                                    "31",
                                    "32",
                                    "33",
                                    "48",
                                    "63",
                                    "64",
                                    "65",
                                    "96",
                                    "100",
                                    "127",
                                    "128",
                                    "255",
                                    "256",
                                    "257",
                                    "512",
                                    "1000",
                                    "1024",
                                    "4095",
                                    "4096",
                                    "32768",
                                    "65535",
                                    "65536",
                                    "1048576",
                                    "16777216",
                                    "2147483647",
                                    "2147483648",
                                    "4294967295",
                                    "4294967296",
                                    "1099511627776",
                                    "4611686018427387904",
                                    "9223372036854775807",
                                    "9223372036854775808",
                                    "18446744073709551615",
                                    "-1",
                                    "-2",
                                    "-8",
                                    "-64",
                                    "-2147483648",
                                    "-9223372036854775808",
                                    "?",
                                    "0.0",
                                    "1.0",
                                    "-1.0",
                                    "1.0e-30",
                                    "3.0e+38",
                                    "1.0e+300",
                                    "0x7FC00000",
                                    "0x7F800000",
                                    "0xFF800000"};

constexpr const char *kWords[] = {"f32",       "f16",        "bf16",   "f64",   "i1",   "i4",        "i8",
                                  "i16",       "i32",        "i64",    "index", "none", "token_dim", "dim_token",
                                  "symmetric", "zero_point", "affine", "T",     "R",    "P",         ""};

class Mutator {
public:
  Mutator(ModuleOp module, const Ingredients &ingredients, FuzzBytes &bytes)
      : module(module), ingredients(ingredients), bytes(bytes) {
    module->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op != module)
        ops.push_back(op);
    });
  }

  /// False where nothing is left to change.
  bool step() {
    if (ops.empty())
      return false;
    switch (bytes.byte() % 12) {
    case 0:
    case 1:
    case 2:
      changeAttribute();
      break;
    case 3:
      changeType();
      break;
    case 4:
    case 5:
      changeEverywhere();
      break;
    case 6:
    case 7:
      changeOperand();
      break;
    case 8:
      eraseOp();
      break;
    case 9:
      doubleOp();
      break;
    case 10:
      moveOp();
      break;
    default:
      changeArguments();
      break;
    }
    return true;
  }

private:
  Operation *pick() { return ops[bytes.below(ops.size())]; }

  template <class T> T parsed(StringRef text);

  static std::string textOf(Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  }

  /// The value with one number or word of its text replaced; null where that is no value.
  template <class T> T edited(T value) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    value.print(stream);
    if (text.size() > 4096)
      return {};
    // The places of numbers and of words.
    std::vector<std::pair<size_t, size_t>> numbers, words;
    for (size_t i = 0; i < text.size();) {
      size_t begin = i;
      if (isdigit(text[i]) || (text[i] == '-' && i + 1 < text.size() && isdigit(text[i + 1]))) {
        for (++i; i < text.size() && (isdigit(text[i]) || text[i] == '.'); ++i)
          ;
        numbers.push_back({begin, i - begin});
      } else if (isalpha(text[i])) {
        for (++i; i < text.size() && (isalnum(text[i]) || text[i] == '_'); ++i)
          ;
        words.push_back({begin, i - begin});
      } else {
        ++i;
      }
    }
    bool word = numbers.empty() || (!words.empty() && bytes.byte() % 4 == 0);
    auto &places = word ? words : numbers;
    if (places.empty())
      return {};
    auto [begin, length] = places[bytes.below(places.size())];
    size_t choice = bytes.byte();
    if (word)
      text.replace(begin, length, kWords[choice % std::size(kWords)]);
    else if (choice < 224)
      text.replace(begin, length, kNumbers[choice % std::size(kNumbers)]);
    else // a neighbour of what is there
      text.replace(begin, length,
                   std::to_string(int64_t(uint64_t(std::atoll(text.substr(begin, length).c_str())) + choice - 240)));
    // A text with an array of index is refused before it is parsed (adze/Pipeline/ModuleText.h).
    return checkModuleText(text, "").ok() ? parsed<T>(text) : T();
  }

  Attribute other(Attribute value) {
    size_t how = bytes.byte();
    if (how % 4 != 0)
      if (Attribute changed = edited(value))
        return changed;
    // One of the same kind where there is one from the chosen place on, else any.
    const auto &all = ingredients.attributes;
    if (all.empty())
      return {};
    size_t start = bytes.below(all.size());
    if (how % 8 != 0)
      for (size_t i = 0; i < all.size(); ++i)
        if (Attribute found = all[(start + i) % all.size()]; found.getTypeID() == value.getTypeID() && found != value)
          return found;
    return all[start];
  }

  Type other(Type type) {
    if (bytes.byte() % 4 != 0)
      if (Type changed = edited(type))
        return changed;
    return ingredients.types.empty() ? Type() : ingredients.types[bytes.below(ingredients.types.size())];
  }

  void changeAttribute() {
    Operation *op = pick();
    DictionaryAttr all = op->getAttrDictionary();
    size_t how = bytes.byte();
    if (all.empty() || how % 16 == 0) {
      if (!ingredients.attributes.empty())
        op->setAttr(all.empty() ? StringRef("adze.phase") : all.begin()->getName().getValue(),
                    ingredients.attributes[bytes.below(ingredients.attributes.size())]);
      return;
    }
    NamedAttribute chosen = all.getValue()[bytes.below(all.size())];
    if (how % 16 == 1)
      op->removeAttr(chosen.getName());
    else if (Attribute changed = other(chosen.getValue()))
      op->setAttr(chosen.getName(), changed);
  }

  Value pickValue() {
    Operation *op = pick();
    size_t how = bytes.byte();
    if (how % 4 == 0)
      for (Region &region : op->getRegions())
        if (!region.empty() && region.front().getNumArguments())
          return region.front().getArgument(bytes.below(region.front().getNumArguments()));
    return op->getNumResults() ? op->getResult(bytes.below(op->getNumResults())) : Value();
  }

  void changeType() {
    Value value = pickValue();
    if (!value)
      return;
    if (Type changed = other(value.getType()))
      value.setType(changed);
  }

  /// One type or attribute, wherever it occurs: what a person does with search and replace, and what passes verifiers
  /// that compare types with each other.
  void changeEverywhere() {
    AttrTypeReplacer replacer;
    // Types of ours may check what they hold: they are changed by their text, and stay where that is no type.
    auto replaceInOwn = [&](Type from, Type to) {
      replacer.addReplacement([=, this](Type type) -> std::optional<std::pair<Type, WalkResult>> {
        if (type == from)
          return std::pair(to, WalkResult::skip());
        if (!llvm::is_contained({"llm", "tile", "exec"}, type.getDialect().getNamespace()))
          return std::nullopt;
        std::string all = textOf(type), old = textOf(from), fresh = textOf(to);
        for (size_t at = all.find(old); at != std::string::npos; at = all.find(old, at + fresh.size()))
          all.replace(at, old.size(), fresh);
        Type changed = checkModuleText(all, "").ok() ? parseType(all, type.getContext()) : Type();
        return std::pair(changed ? changed : type, WalkResult::skip());
      });
    };
    if (bytes.byte() % 4 != 0) {
      Value value = pickValue();
      if (!value)
        return;
      Type from = value.getType(), to = other(from);
      if (!to || to == from)
        return;
      replacer.addReplacement([=](Type type) -> std::optional<std::pair<Type, WalkResult>> {
        if (type == from)
          return std::pair(to, WalkResult::skip());
        return std::nullopt;
      });
      replaceInOwn(from, to);
      // A constant whose elements are all equal goes along.
      replacer.addReplacement([=](Attribute attribute) -> std::optional<std::pair<Attribute, WalkResult>> {
        auto dense = dyn_cast<DenseElementsAttr>(attribute);
        auto shaped = dyn_cast<RankedTensorType>(to);
        if (dense && dense.getType() == from && dense.isSplat() && shaped && shaped.hasStaticShape() &&
            shaped.getElementType() == dense.getElementType())
          return std::pair(Attribute(dense.resizeSplat(shaped)), WalkResult::skip());
        return std::nullopt;
      });
    } else {
      Operation *op = pick();
      DictionaryAttr all = op->getAttrDictionary();
      if (all.empty())
        return;
      Attribute from = all.getValue()[bytes.below(all.size())].getValue(), to = other(from);
      if (!to || to == from)
        return;
      replacer.addReplacement([=](Attribute attribute) -> std::optional<std::pair<Attribute, WalkResult>> {
        if (attribute == from)
          return std::pair(to, WalkResult::skip());
        return std::nullopt;
      });
    }
    replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
  }

  /// Values that an operand of `op` could name: results and arguments of its block and of those around it.
  std::vector<Value> valuesNear(Operation *op, Type type) {
    std::vector<Value> found;
    for (Block *block = op->getBlock(); block;) {
      auto add = [&](Value value) {
        if (!type || value.getType() == type)
          found.push_back(value);
      };
      for (Value argument : block->getArguments())
        add(argument);
      for (Operation &sibling : *block)
        for (Value result : sibling.getResults())
          add(result);
      Operation *parent = block->getParentOp();
      block = parent ? parent->getBlock() : nullptr;
    }
    return found;
  }

  void changeOperand() {
    Operation *op = pick();
    size_t how = bytes.byte() % 8;
    unsigned count = op->getNumOperands();
    if (how == 0 && count) { // one less
      op->eraseOperand(unsigned(bytes.below(count)));
      return;
    }
    std::vector<Value> values;
    unsigned which = count ? unsigned(bytes.below(count)) : 0;
    values = valuesNear(op, how >= 4 && count ? op->getOperand(which).getType() : Type());
    if (values.empty())
      return;
    Value value = values[bytes.below(values.size())];
    if (how == 1 || !count)
      op->insertOperands(which, value);
    else
      op->setOperand(which, value);
  }

  void eraseOp() {
    size_t which = bytes.below(ops.size());
    Operation *op = ops[which];
    for (Value result : op->getResults())
      if (!result.use_empty()) {
        std::vector<Value> values;
        for (Value value : valuesNear(op, result.getType()))
          if (value.getDefiningOp() != op)
            values.push_back(value);
        if (values.empty())
          return; // a hole would be no IR
        result.replaceAllUsesWith(values[bytes.below(values.size())]);
      }
    // Ops inside go with it.
    llvm::SmallPtrSet<Operation *, 16> gone;
    op->walk([&](Operation *inner) { gone.insert(inner); });
    auto usedOutside = [&](Value value) {
      return llvm::any_of(value.getUses(), [&](OpOperand &use) { return !gone.contains(use.getOwner()); });
    };
    for (Operation *inner : gone)
      for (Region &region : inner->getRegions())
        for (Block &block : region) {
          // An op that was moved out of the block still names what is in it.
          if (llvm::any_of(block.getArguments(), usedOutside))
            return;
          for (Operation &op : block)
            if (llvm::any_of(op.getResults(), usedOutside))
              return;
        }
    llvm::erase_if(ops, [&](Operation *other) { return gone.contains(other); });
    op->erase();
  }

  void doubleOp() {
    Operation *op = pick();
    Operation *copy = op->clone();
    op->getBlock()->getOperations().insert(bytes.byte() % 2 ? op->getIterator() : std::next(op->getIterator()), copy);
    size_t rename = bytes.byte();
    if (rename % 2)
      if (auto name = copy->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
        copy->setAttr(SymbolTable::getSymbolAttrName(),
                      StringAttr::get(copy->getContext(), name.getValue() + "." + std::to_string(rename)));
    if (rename % 4 == 3)
      for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults()))
        from.replaceUsesWithIf(to, [&](OpOperand &use) { return use.getOwner() != copy; });
    ops.push_back(copy);
  }

  void moveOp() {
    Operation *op = pick(), *place = pick();
    if (op->isAncestor(place))
      return;
    if (bytes.byte() % 2)
      op->moveBefore(place);
    else
      op->moveAfter(place);
  }

  /// An argument more or less of the block of an op's region.
  void changeArguments() {
    Operation *op = pick();
    if (op->getNumRegions() == 0 || op->getRegion(0).empty()) {
      changeOperand();
      return;
    }
    Block &block = op->getRegion(0).front();
    size_t how = bytes.byte();
    if (how % 2 && block.getNumArguments()) {
      unsigned which = unsigned(bytes.below(block.getNumArguments()));
      if (block.getArgument(which).use_empty())
        block.eraseArgument(which);
    } else if (!ingredients.types.empty()) {
      block.insertArgument(unsigned(bytes.below(block.getNumArguments() + 1)),
                           ingredients.types[bytes.below(ingredients.types.size())], op->getLoc());
    }
  }

  ModuleOp module;
  const Ingredients &ingredients;
  FuzzBytes &bytes;
  std::vector<Operation *> ops;
};

template <> Attribute Mutator::parsed(StringRef text) {
  return parseAttribute(text, module->getContext(), Type(), nullptr, /*isKnownNullTerminated=*/false);
}
template <> Type Mutator::parsed(StringRef text) {
  return parseType(text, module->getContext(), nullptr, /*isKnownNullTerminated=*/false);
}

} // namespace

void mutateModule(ModuleOp module, const Ingredients &ingredients, FuzzBytes &bytes) {
  Mutator mutator(module, ingredients, bytes);
  for (int i = 0; i < 12 && !bytes.ended() && mutator.step(); ++i)
    ;
  // An attribute that was taken away, or is of another kind than its op stores, is null now; the parser and the
  // builders give it its default, and getters expect it there.
  module->walk([](Operation *op) {
    if (OpaqueProperties properties = op->getPropertiesStorage())
      op->getName().populateDefaultProperties(properties);
  });
}

} // namespace adze::fuzz
