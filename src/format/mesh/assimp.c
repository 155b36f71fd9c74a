/* format/mesh/assimp.c: triangles of a scene that assimp has read.
 *
 * A vertex x of a mesh that a node shows is at T x, T the product of the transforms from the root
 * to the node. A transform that mirrors turns the faces around. The colour and the picture are
 * those of the material with most triangles. Where it has a picture, a second import has the
 * coordinates: with them, vertices on the seams of the picture would not be merged. */
#include "format/mesh/assimp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/read/locate.h"
#include "format/read/text.h"

#ifdef LIMPET_ASSIMP_LIBRARY

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <dlfcn.h>
#include <pthread.h>

enum {
  NODE_DEPTH_LIMIT = 1000,
  TRIANGLE_LIMIT = 50000000,  // what all instances of a scene may have
  IMAGE_LIMIT = 1 << 28       // [bytes]  of a picture
};

// -------------------------------------------------------------------------------- library

static struct {
  const struct aiScene *(*import)(const char *path, unsigned flags, struct aiFileIO *io,
                                  const struct aiPropertyStore *properties);
  void (*release)(const struct aiScene *scene);
  const char *(*message)(void);
  struct aiPropertyStore *(*properties)(void);
  void (*set_integer)(struct aiPropertyStore *store, const char *name, int value);
  void (*release_properties)(struct aiPropertyStore *store);
  enum aiReturn (*color)(const struct aiMaterial *material, const char *key, unsigned type,
                         unsigned index, struct aiColor4D *color);
  enum aiReturn (*string)(const struct aiMaterial *material, const char *key, unsigned type,
                          unsigned index, struct aiString *string);
  bool ready;
} assimp;

// a function of the library; ISO C has no cast from an object pointer to a function pointer
static bool take(void *library, const char *name, void *function) {
  void *address = dlsym(library, name);
  *(void **)function = address;
  return address != NULL;
}

static void open_library(void) {
  void *library = dlopen(LIMPET_ASSIMP_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  assimp.ready = library && take(library, "aiImportFileExWithProperties", &assimp.import) &&
                 take(library, "aiReleaseImport", &assimp.release) &&
                 take(library, "aiGetErrorString", &assimp.message) &&
                 take(library, "aiCreatePropertyStore", &assimp.properties) &&
                 take(library, "aiSetImportPropertyInteger", &assimp.set_integer) &&
                 take(library, "aiReleasePropertyStore", &assimp.release_properties) &&
                 take(library, "aiGetMaterialColor", &assimp.color) &&
                 take(library, "aiGetMaterialString", &assimp.string);
}

static bool library_ready(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  return assimp.ready;
}

// positions alone, so that vertices are merged which differ in normals only; those of pictures on
// request
static const struct aiScene *import(const char *path, bool pictures) {
  struct aiPropertyStore *properties = assimp.properties();
  if (!properties) return NULL;
  assimp.set_integer(properties, AI_CONFIG_PP_RVC_FLAGS,
                     aiComponent_NORMALS | aiComponent_TANGENTS_AND_BITANGENTS |
                         aiComponent_COLORS | (pictures ? 0 : aiComponent_TEXCOORDS) |
                         aiComponent_BONEWEIGHTS | aiComponent_ANIMATIONS | aiComponent_LIGHTS |
                         aiComponent_CAMERAS);
  assimp.set_integer(properties, AI_CONFIG_PP_SBP_REMOVE,
                     aiPrimitiveType_POINT | aiPrimitiveType_LINE);
  assimp.set_integer(properties, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
  const struct aiScene *scene =
      assimp.import(path,
                    aiProcess_Triangulate | aiProcess_RemoveComponent |
                        aiProcess_JoinIdenticalVertices | aiProcess_SortByPType,
                    NULL, properties);
  assimp.release_properties(properties);
  return scene;
}

// ---------------------------------------------------------------------------------- scene

typedef struct transform {
  double m[12];  // rows of the linear part and the shift
} transform;

static transform of_matrix(const struct aiMatrix4x4 *m) {
  return (transform){
      {m->a1, m->a2, m->a3, m->a4, m->b1, m->b2, m->b3, m->b4, m->c1, m->c2, m->c3, m->c4}};
}

static transform compose(const transform *a, const transform *b) {
  transform c;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 4; ++k) {
      const double *row = a->m + 4 * i;
      c.m[4 * i + k] =
          row[0] * b->m[k] + row[1] * b->m[4 + k] + row[2] * b->m[8 + k] + (k == 3 ? row[3] : 0.0);
    }
  return c;
}

static bool mirrors(const transform *t) {
  const double *m = t->m;
  return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
             m[2] * (m[4] * m[9] - m[5] * m[8]) <
         0.0;
}

typedef struct gathering {
  const struct aiScene *scene;
  limpet_mesh_file *mesh;  // NULL arrays: only counts
  size_t vertex_count, face_count, most_faces;
  bool too_deep;
  unsigned material;  // of most triangles
  float *picture;     // coordinates are gathered, nothing else
} gathering;

static void gather_coordinates(gathering *g, const struct aiMesh *part, const transform *t) {
  const bool turned = mirrors(t);
  float *corner = g->picture + 6 * g->face_count;
  for (unsigned f = 0; f < part->mNumFaces; ++f) {
    if (part->mFaces[f].mNumIndices != 3) continue;
    for (int k = 0; k < 3; ++k, corner += 2) {
      if (!part->mTextureCoords[0]) continue;
      const struct aiVector3D uv =
          part->mTextureCoords[0][part->mFaces[f].mIndices[turned ? 2 - k : k]];
      corner[0] = uv.x, corner[1] = uv.y;
    }
    ++g->face_count;
  }
}

static void gather_mesh(gathering *g, const struct aiMesh *part, const transform *t) {
  if (g->picture) {
    gather_coordinates(g, part, t);
    return;
  }
  if (g->mesh->vertices) {
    const bool turned = mirrors(t);
    for (unsigned i = 0; i < part->mNumVertices; ++i) {
      const struct aiVector3D x = part->mVertices[i];
      double *to = g->mesh->vertices + 3 * (g->vertex_count + i);
      for (int k = 0; k < 3; ++k) {
        const double *row = t->m + 4 * k;
        to[k] = row[0] * (double)x.x + row[1] * (double)x.y + row[2] * (double)x.z + row[3];
      }
    }
    int *face = g->mesh->faces + 3 * g->face_count;
    for (unsigned f = 0; f < part->mNumFaces; ++f) {
      if (part->mFaces[f].mNumIndices != 3) continue;
      for (int k = 0; k < 3; ++k)
        face[k] = (int)(g->vertex_count + part->mFaces[f].mIndices[turned ? 2 - k : k]);
      face += 3;
    }
  }
  size_t triangles = 0;
  for (unsigned f = 0; f < part->mNumFaces; ++f) triangles += part->mFaces[f].mNumIndices == 3;
  g->vertex_count += part->mNumVertices;
  g->face_count += triangles;
  struct aiColor4D color;
  if (triangles > g->most_faces && part->mMaterialIndex < g->scene->mNumMaterials &&
      assimp.color(g->scene->mMaterials[part->mMaterialIndex], AI_MATKEY_COLOR_DIFFUSE, &color) ==
          aiReturn_SUCCESS) {
    g->most_faces = triangles;
    g->material = part->mMaterialIndex;
    g->mesh->has_rgba = true;
    const float rgba[4] = {color.r, color.g, color.b, color.a};
    for (int k = 0; k < 4; ++k) g->mesh->rgba[k] = rgba[k];
  }
}

static void gather_node(gathering *g, const struct aiNode *node, const transform *above,
                        int depth) {
  if (depth > NODE_DEPTH_LIMIT || g->face_count > TRIANGLE_LIMIT) {
    g->too_deep = true;
    return;
  }
  const transform own = of_matrix(&node->mTransformation), t = compose(above, &own);
  for (unsigned i = 0; i < node->mNumMeshes; ++i)
    gather_mesh(g, g->scene->mMeshes[node->mMeshes[i]], &t);
  for (unsigned i = 0; i < node->mNumChildren; ++i)
    gather_node(g, node->mChildren[i], &t, depth + 1);
}

// ------------------------------------------------------------------------------- pictures

// A picture inside the scene: "*3" is the fourth, any other name is that of a file beside it.
static void take_inner_image(limpet_mesh_file *mesh, const struct aiTexture *texture) {
  if (texture->mHeight != 0 || texture->mWidth == 0) return;  // pixels, not a file
  mesh->image = malloc(texture->mWidth);
  if (!mesh->image) return;
  memcpy(mesh->image, texture->pcData, texture->mWidth);
  mesh->image_size = texture->mWidth;
}

static void take_image_file(limpet_mesh_file *mesh, const char *path, const char *name) {
  char *folder = strdup(path), *text, whole[4096];
  if (!folder) return;
  char *slash = strrchr(folder, '/');
  if (slash) slash[1] = '\0';
  const int length = snprintf(whole, sizeof whole, "%s%s", slash ? folder : "", name);
  free(folder);
  size_t size;
  limpet_error error = {0};
  if (length < 0 || (size_t)length >= sizeof whole ||
      limpet_text_file(&text, &size, whole, IMAGE_LIMIT, &error) != LIMPET_OK)
    return;
  mesh->image = (unsigned char *)text, mesh->image_size = size;
}

// Without a picture that can be read the mesh is drawn in its colour.
static void take_image(limpet_mesh_file *mesh, const struct aiScene *scene, unsigned material,
                       const char *path) {
  struct aiString name;
  if (material >= scene->mNumMaterials ||
      assimp.string(scene->mMaterials[material], AI_MATKEY_TEXTURE(aiTextureType_DIFFUSE, 0),
                    &name) != aiReturn_SUCCESS)
    return;
  const long inner = name.data[0] == '*' ? strtol(name.data + 1, NULL, 10) : -1;
  if (inner >= 0 && inner < (long)scene->mNumTextures)
    take_inner_image(mesh, scene->mTextures[inner]);
  else if (inner < 0) take_image_file(mesh, path, name.data);
  mesh->image_outside = inner < 0 && limpet_path_leaves(name.data);
  static const unsigned char png[] = {0x89, 'P', 'N', 'G'}, jpeg[] = {0xff, 0xd8, 0xff};
  const bool known =
      mesh->image && mesh->image_size > sizeof png &&
      (memcmp(mesh->image, png, sizeof png) == 0 || memcmp(mesh->image, jpeg, sizeof jpeg) == 0);
  mesh->image_missing = !known;
  if (known) return;
  free(mesh->image);
  mesh->image = NULL, mesh->image_size = 0;
}

static void take_coordinates(limpet_mesh_file *mesh, const transform *axes, const char *path) {
  const struct aiScene *scene = import(path, true);
  if (!scene) return;
  gathering g = {.scene = scene, .mesh = mesh};
  g.picture = calloc(6 * (size_t)mesh->face_count, sizeof *g.picture);
  if (g.picture) gather_node(&g, scene->mRootNode, axes, 0);
  mesh->texture_coordinates = g.picture;
  assimp.release(scene);
}

static limpet_status gather(limpet_mesh_file *mesh, const struct aiScene *scene,
                            const transform *axes, const char *path, limpet_error *error) {
  gathering g = {.scene = scene, .mesh = mesh};
  gather_node(&g, scene->mRootNode, axes, 0);
  if (g.too_deep)
    return limpet_error_fill_at(error, LIMPET_ERROR_INPUT, path, 0, 0,
                                "its nodes are nested too deeply, or show too many triangles");
  if (g.face_count == 0)
    return limpet_error_fill_at(error, LIMPET_ERROR_INPUT, path, 0, 0, "has no triangles");
  mesh->vertices = malloc(3 * g.vertex_count * sizeof *mesh->vertices);
  mesh->faces = malloc(3 * g.face_count * sizeof *mesh->faces);
  if (!mesh->vertices || !mesh->faces)
    return limpet_error_fill_at(error, LIMPET_ERROR_MEMORY, path, 0, 0, "no memory for the mesh");
  mesh->vertex_count = (int)g.vertex_count, mesh->face_count = (int)g.face_count;
  g = (gathering){.scene = scene, .mesh = mesh};
  gather_node(&g, scene->mRootNode, axes, 0);
  take_image(mesh, scene, g.material, path);
  return LIMPET_OK;
}

limpet_status limpet_mesh_read_assimp(limpet_mesh_file *mesh, const char *path,
                                      limpet_error *error) {
  static const transform same = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
                         y_up = {{1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0}};
  if (!library_ready())
    return limpet_error_fill_at(
        error, LIMPET_ERROR_UNSUPPORTED, path, 0, 0,
        "this mesh format is read by assimp, which is not installed: install "
        "the Debian package libassimp5, or convert the file to .stl or "
        ".obj");
  const struct aiScene *scene = import(path, false);
  if (!scene)
    return limpet_error_fill_at(error, LIMPET_ERROR_INPUT, path, 0, 0,
                                "assimp cannot read the file: %s", assimp.message());
  const bool gltf = limpet_path_ends_in(path, ".gltf") || limpet_path_ends_in(path, ".glb");
  const limpet_status status = gather(mesh, scene, gltf ? &y_up : &same, path, error);
  assimp.release(scene);
  if (mesh->image) take_coordinates(mesh, gltf ? &y_up : &same, path);
  return status;
}

#else

limpet_status limpet_mesh_read_assimp(limpet_mesh_file *mesh, const char *path,
                                      limpet_error *error) {
  (void)mesh;
  return limpet_error_fill_at(
      error, LIMPET_ERROR_UNSUPPORTED, path, 0, 0,
      "this mesh format is read by assimp, and limpet was built without it: "
      "install the Debian package libassimp-dev and build again, or convert "
      "the file to .stl or .obj");
}

#endif
