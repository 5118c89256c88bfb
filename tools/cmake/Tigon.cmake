# SPDX-License-Identifier: Apache-2.0
# How Tigon's libraries are built: one static library a folder (unit tests and tigon-opt link these), and libtigon.so
# over all of them, which exports the public headers' symbols and nothing else.

# LLVM and MLIR. Shared: exactly two libraries; mixing in single MLIRxxx archives would give a second set of TypeIDs.
# Static: the archives name the dylib target in their interfaces, and LLVMSupport asks for shared z3 and zstd; both are
# undone once here (docs/building.md).
if(TIGON_STATIC_LLVM)
  foreach(target IN LISTS MLIR_EXPORTED_TARGETS)
    if(TARGET ${target})
      get_target_property(linked ${target} INTERFACE_LINK_LIBRARIES)
      if(linked AND "LLVM" IN_LIST linked)
        list(REMOVE_ITEM linked LLVM)
        set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${linked}")
      endif()
    endif()
  endforeach()
  get_target_property(linked LLVMSupport INTERFACE_LINK_LIBRARIES)
  list(FILTER linked EXCLUDE REGEX "z3|zstd|ZLIB")
  list(APPEND linked -l:libzstd.a -l:libz.a)
  set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES "${linked}")
  set(TIGON_LLVM_LIBRARIES
    MLIRParser MLIRLLVMDialect MLIRNVVMDialect MLIRGPUDialect MLIRUBDialect MLIRArithToLLVM MLIRMathToLLVM MLIRUBToLLVM
    MLIRControlFlowToLLVM MLIRFuncToLLVM MLIRSCFToControlFlow MLIRControlFlowToSCF MLIRNVVMToLLVM MLIRReconcileUnrealizedCasts MLIRTransforms
    MLIRControlFlowTransforms MLIRSCFTransforms MLIRTargetLLVMIRExport MLIRBuiltinToLLVMIRTranslation MLIRLLVMToLLVMIRTranslation
    MLIRNVVMToLLVMIRTranslation MLIROptLib LLVMPasses LLVMNVPTXCodeGen LLVMNVPTXDesc LLVMNVPTXInfo
    LLVMOrcJIT LLVMX86CodeGen LLVMX86Desc LLVMX86Info LLVMLinker LLVMBitReader LLVMIRReader)
else()
  set(TIGON_LLVM_LIBRARIES MLIR LLVM)
endif()

# tigon_library(compiler SOURCES ... [HEADERS Compiler.h ...] [LINK dialect ...])
# HEADERS are the folder's public headers: they are linked into build/include/tigon/ and installed.
function(tigon_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;LINK;TABLEGEN" ${ARGN})
  add_library(tigon-${name} STATIC ${ARG_SOURCES})
  target_compile_definitions(tigon-${name} PRIVATE TIGON_BUILDING)
  target_link_libraries(tigon-${name} PUBLIC fmt::fmt-header-only Threads::Threads)
  foreach(dependency IN LISTS ARG_LINK)
    target_link_libraries(tigon-${name} PUBLIC tigon-${dependency})
  endforeach()
  if(NOT name STREQUAL "dialect")
    target_precompile_headers(tigon-${name} REUSE_FROM tigon-dialect)
  endif()
  if(ARG_TABLEGEN)
    add_dependencies(tigon-${name} ${ARG_TABLEGEN})
  endif()
  foreach(header IN LISTS ARG_HEADERS)
    get_filename_component(file ${header} NAME)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include/tigon)
    file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/${header} ${PROJECT_BINARY_DIR}/include/tigon/${file} SYMBOLIC)
    install(FILES ${header} DESTINATION include/tigon)
  endforeach()
endfunction()

# tigon_shared_library(tigon FOLDER...): libtigon.so over the folders' static libraries.
function(tigon_shared_library name)
  add_library(${name} SHARED ${PROJECT_SOURCE_DIR}/tools/cmake/empty.cpp)
  set(archives "")
  foreach(folder IN LISTS ARGN)
    add_dependencies(${name} tigon-${folder})
    string(APPEND archives " $<TARGET_FILE:tigon-${folder}>")
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS $<TARGET_FILE:tigon-${folder}>)
  endforeach()
  target_link_options(${name} PRIVATE "SHELL:-Wl,--whole-archive${archives} -Wl,--no-whole-archive")
  target_link_libraries(${name} PRIVATE ${TIGON_LLVM_LIBRARIES} ${CMAKE_DL_LIBS} PUBLIC fmt::fmt-header-only)
  target_link_options(${name} PRIVATE -Wl,--gc-sections -Wl,--version-script=${PROJECT_SOURCE_DIR}/tools/cmake/exports.map)
  if(NOT TIGON_SANITIZE)
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
  install(TARGETS ${name} DESTINATION lib)
endfunction()

# tigon_tablegen(TTOps.td TTOps.h.inc -gen-op-decls ...): one TableGen source, pairs of output and generator.
function(tigon_tablegen target source)
  set(LLVM_TARGET_DEFINITIONS ${source})
  set(rest ${ARGN})
  while(rest)
    list(POP_FRONT rest output arguments)
    separate_arguments(arguments)
    mlir_tablegen(${output} ${arguments} EXTRA_INCLUDES ${PROJECT_SOURCE_DIR})
  endwhile()
  add_public_tablegen_target(${target})
  set_property(GLOBAL APPEND PROPERTY TIGON_TABLEGEN ${target})
endfunction()
