/* limpet/appearance.h: what surfaces look like: textures and what lies on them. Nothing of it
 * changes a motion; replays and live views draw it. Floor 3; included by limpet/model.h. */
#ifndef LIMPET_APPEARANCE_H
#define LIMPET_APPEARANCE_H

#include "limpet/material.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum limpet_texture_kind {
  LIMPET_TEXTURE_FLAT,  // an image, across x and y of a geom, or by the coordinates of a mesh
  LIMPET_TEXTURE_CUBE,  // six images around a geom
  LIMPET_TEXTURE_SKY    // six images around the world; the first one of a model is drawn
} limpet_texture_kind;

typedef enum limpet_texture_pattern {
  LIMPET_PATTERN_IMAGE,     // from files
  LIMPET_PATTERN_GRADIENT,  // from rgb1 in the middle (of a sky: above) to rgb2
  LIMPET_PATTERN_CHECKER,   // two by two fields
  LIMPET_PATTERN_FLAT       // rgb1; of a cube its lower face rgb2
} limpet_texture_pattern;

typedef enum limpet_texture_mark {
  LIMPET_MARK_NONE,
  LIMPET_MARK_EDGE,   // a line around each face
  LIMPET_MARK_CROSS,  // and one through its middle
  LIMPET_MARK_RANDOM  // dots
} limpet_texture_mark;

enum { LIMPET_TEXTURE_FACES = 6 };  // right, left, up, down, front, back

typedef struct limpet_texture {
  const char *name;
  limpet_texture_kind kind;
  limpet_texture_pattern pattern;
  limpet_texture_mark mark;
  float rgb1[3], rgb2[3], mark_rgb[3];  // 0.8; 0.5; 0
  double random;                        // [-]  share of pixels that are dots; 0.01
  int width, height;                    // [pixels]  of a pattern; 0: as many as it needs
  // PNG or JPEG files as they are: one, or one for each face (NULL: none)
  const unsigned char *image[LIMPET_TEXTURE_FACES];
  int image_size[LIMPET_TEXTURE_FACES];  // [bytes]
  int grid_rows, grid_columns;           // one image that holds several faces; 1, 1
  char grid_layout[16];  // which face is where, by row: R L U D F B, '.' for none; ""
  bool flip_horizontal, flip_vertical;  // false
  limpet_place place;
} limpet_texture;

typedef struct limpet_appearance {
  const char *name;
  int texture;       // LIMPET_NONE: colour alone
  double repeat[2];  // [-]  of a flat texture, along x and y; 1, 1
  bool uniform;      // repeated so often a metre, not an object; of a cube: on the unit shape
  double emission, specular, shininess, reflectance;  // [-]  0 to 1; 0, 0.5, 0.5, 0
  double metallic, roughness;  // [-]  0 to 1; negative: by specular and shininess; -1, -1
  limpet_place place;
} limpet_appearance;

LIMPET_API limpet_texture limpet_texture_default(void);
LIMPET_API limpet_appearance limpet_appearance_default(void);

#ifdef __cplusplus
}
#endif
#endif
