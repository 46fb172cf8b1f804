# What `cmake --install` puts where. Nothing in the installed tree knows its own place, so it may be moved or copied whole:
# adze looks for adze-compile relative to itself, the CMake package and adze.pc find the prefix relative to themselves.
#
#   bin/adze   libexec/adze/adze-compile   lib/libadze.so   include/adze/Abi/Adze.h   lib/cmake/Adze   lib/pkgconfig/adze.pc
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS Adze EXPORT AdzeTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${CMAKE_SOURCE_DIR}/include/adze/Abi/Adze.h DESTINATION include/adze/Abi)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(adze_package ${CMAKE_INSTALL_LIBDIR}/cmake/Adze)
install(EXPORT AdzeTargets NAMESPACE Adze:: DESTINATION ${adze_package})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/AdzeConfig.cmake.in ${CMAKE_BINARY_DIR}/AdzeConfig.cmake
                              INSTALL_DESTINATION ${adze_package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/AdzeConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/AdzeConfig.cmake ${CMAKE_BINARY_DIR}/AdzeConfigVersion.cmake
        DESTINATION ${adze_package})

file(RELATIVE_PATH ADZE_PC_TO_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(${CMAKE_CURRENT_LIST_DIR}/adze.pc.in ${CMAKE_BINARY_DIR}/adze.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/adze.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
