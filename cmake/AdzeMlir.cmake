# MLIR from the distribution's packages: headers, TableGen, the two shared libraries and one precompiled header.
find_package(MLIR REQUIRED CONFIG PATHS ${ADZE_LLVM_ROOT}/lib/cmake/mlir NO_DEFAULT_PATH)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
set(LLVM_RUNTIME_OUTPUT_INTDIR ${CMAKE_BINARY_DIR}/bin)
set(LLVM_LIBRARY_OUTPUT_INTDIR ${CMAKE_BINARY_DIR}/lib)
include(TableGen)
include(AddLLVM)
include(AddMLIR)
separate_arguments(ADZE_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")

# The headers that nearly every room of the compiler reads: 9 s a file without, under 1 s with it.
add_library(AdzeMlirPch OBJECT ${CMAKE_SOURCE_DIR}/cmake/Precompiled.cpp)
target_include_directories(AdzeMlirPch SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_compile_definitions(AdzeMlirPch PRIVATE ${ADZE_LLVM_DEFINITIONS})
target_compile_options(AdzeMlirPch PRIVATE -Xclang -fno-pch-timestamp $<$<CONFIG:Release>:-O1>)
target_precompile_headers(AdzeMlirPch PRIVATE
  <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Dialect/LLVMIR/LLVMDialect.h>
  <mlir/Dialect/Math/IR/Math.h> <mlir/Dialect/SCF/IR/SCF.h> <mlir/Dialect/Vector/IR/VectorOps.h>
  <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/OpDefinition.h> <mlir/IR/OpImplementation.h> <mlir/IR/PatternMatch.h>
  <mlir/IR/SymbolTable.h> <mlir/Interfaces/InferTypeOpInterface.h> <mlir/Interfaces/SideEffectInterfaces.h>
  <mlir/Pass/Pass.h> <mlir/Pass/PassManager.h> <mlir/Bytecode/BytecodeOpInterface.h>
  <map> <memory> <optional> <string> <vector>)

# What a program of the compiler links: the two shared libraries, or, for one with the property ADZE_STATIC_MLIR, the
# archives, of which only what it uses goes in: a fuzz program that is carried to another machine (scripts/fuzz --bundle).
file(GLOB ADZE_MLIR_ARCHIVES ${ADZE_LLVM_ROOT}/lib/libMLIR[A-Z]*.a ${ADZE_LLVM_ROOT}/lib/libLLVM[A-Z]*.a)
list(FILTER ADZE_MLIR_ARCHIVES EXCLUDE REGEX "MLIRCAPI|TestPass|MLIRTest")
find_library(ADZE_ZSTD NAMES zstd libzstd.so.1)
add_library(AdzeMlirLibraries INTERFACE)
target_link_libraries(AdzeMlirLibraries INTERFACE
  "$<IF:$<BOOL:$<TARGET_PROPERTY:ADZE_STATIC_MLIR>>,${ADZE_MLIR_ARCHIVES};z;${ADZE_ZSTD};dl,MLIR;LLVM>")

function(adze_use_mlir name)
  target_include_directories(${name} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_compile_definitions(${name} PRIVATE ${ADZE_LLVM_DEFINITIONS})
  target_compile_options(${name} PRIVATE -Xclang -fno-pch-timestamp $<$<CONFIG:Release>:-O1>)
  target_precompile_headers(${name} REUSE_FROM AdzeMlirPch)
  target_link_libraries(${name} PRIVATE AdzeMlirLibraries)
  # clang refuses a header precompiled for -fPIC where an executable asks for -fPIE; -fPIC code links into both.
  get_target_property(kind ${name} TYPE)
  if(kind STREQUAL "EXECUTABLE")
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE -fPIC)
  endif()
endfunction()

# adze_tablegen(TD_FILE TARGET "generator output" ...) runs mlir-tblgen beside the .td file.
function(adze_tablegen td target)
  set(LLVM_TARGET_DEFINITIONS ${td})
  foreach(rule ${ARGN})
    separate_arguments(words UNIX_COMMAND "${rule}")
    list(POP_FRONT words output)
    mlir_tablegen(${output} ${words} -I${CMAKE_SOURCE_DIR}/include -I${ADZE_LLVM_ROOT}/include)
  endforeach()
  add_public_tablegen_target(${target})
  add_dependencies(AdzeGenerated ${target})
endfunction()
add_custom_target(AdzeGenerated)
