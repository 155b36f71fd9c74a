/* format/read/locate.h: from the name of a file in a robot description to the file.
 *
 *   package://NAME/rest  below the folder of the package NAME, looked for in this order: the
 *       option `packages`, LIMPET_PACKAGE_PATH (both: "NAME=folder" or a folder of packages,
 *       ':' between), ROS_PACKAGE_PATH, AMENT_PREFIX_PATH (below share/), then upwards from the
 *       folder of the naming file: a package.xml of that name, or a folder of that name; at last
 *       `rest` alone in that folder and three above it, which is a guess
 *   model://NAME/rest    the same, with GZ_SIM_RESOURCE_PATH and GAZEBO_MODEL_PATH
 *   file:///path         that path
 *   path                 relative to the folder of the naming file */
#ifndef LIMPET_FORMAT_READ_LOCATE_H
#define LIMPET_FORMAT_READ_LOCATE_H

#include "format/read/reader.h"

typedef struct limpet_location {
  const char *path;   // in the pool; NULL: not found
  const char *tried;  // every path that was looked at, ", " between; NULL: none
  bool guessed;       // the package was not found, but its path below another folder
} limpet_location;

// `from`: the file that names `uri`; NULL: the current folder. A folder is found as well as a file.
limpet_location limpet_locate(limpet_reader *reader, const char *from, const char *uri);

// Whether a relative path leads out of its folder: "../meshes/a.stl", "a/../../b.stl".
bool limpet_path_leaves(const char *path);

#endif
