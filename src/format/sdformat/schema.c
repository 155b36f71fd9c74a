/* format/sdformat/schema.c: the elements and attributes of SDFormat 1.7 to 1.12 and of Drake's
 * extensions, and what becomes of each (source: the specification at sdformat.org, Drake's page on
 * parsing; names are facts of the format). */
#include "format/sdformat/schema.h"

#include <stddef.h>

#include "format/robot/schema_rows.h"

#define USED LIMPET_SCHEMA_USED, NULL
#define SILENT(reason) LIMPET_SCHEMA_SILENT, reason
#define UNSUPPORTED(reason) LIMPET_SCHEMA_UNSUPPORTED, reason

#define DRAWING "for drawing only"
#define PEOPLE "data for people and programs, not for the simulation"
#define METHOD "chooses the numerical method of another simulator"
#define SENSOR "sensors of SDFormat are not made: sensors of the builder and of MJCF are"

// an element that holds a value alone
#define VALUE(name) \
  { name, USED, "#text", "", "", "" }
#define LEAF(name, support) \
  { name, support, "", "#text", "", "*" }

static const limpet_schema_rule rules[] = {
    {"sdf", USED, "version", "", "", "model world actor light"},
    {"world", USED, "name", "", "",
     LIMPET_ROBOT_EXTENSIONS
     "model include frame joint drake:joint gravity magnetic_field physics plugin light gui scene "
     "audio atmosphere wind spherical_coordinates road actor state population"},
    LEAF("gui", SILENT(DRAWING)),
    LEAF("scene", SILENT(DRAWING)),
    LEAF("light", SILENT(DRAWING)),
    LEAF("audio", SILENT(PEOPLE)),
    LEAF("spherical_coordinates", SILENT(PEOPLE)),
    LEAF("state", SILENT(PEOPLE)),
    LEAF("atmosphere", UNSUPPORTED("forces of the air are not simulated")),
    LEAF("wind", UNSUPPORTED("wind is not simulated")),
    LEAF("road", UNSUPPORTED("roads have no shape here: nothing can stand on them")),
    LEAF("actor", UNSUPPORTED("actors are not simulated")),
    LEAF("population", UNSUPPORTED("populations of models are not made")),
    {"plugin", UNSUPPORTED("plugins are code of Gazebo and cannot be run"), "", "name filename", "",
     "*"},
    VALUE("gravity"),
    VALUE("magnetic_field"),
    {"physics", USED, "", "name type default", "",
     "gravity max_step_size real_time_factor real_time_update_rate max_contacts ode bullet simbody "
     "dart"},
    VALUE("max_step_size"),
    LEAF("real_time_factor", SILENT(METHOD)),
    LEAF("real_time_update_rate", SILENT(METHOD)),
    LEAF("max_contacts", SILENT(METHOD)),
    LEAF("ode", SILENT(METHOD)),
    LEAF("bullet", SILENT(METHOD)),
    LEAF("simbody", SILENT(METHOD)),
    LEAF("dart", SILENT(METHOD)),

    {"include", USED, "merge", "", "", "uri name pose static placement_frame plugin"},
    VALUE("uri"),
    VALUE("name"),
    VALUE("static"),
    VALUE("placement_frame"),
    {"pose", USED, "relative_to degrees rotation_format #text", "", "", ""},

    {"model", USED, "name canonical_link placement_frame", "", "",
     LIMPET_ROBOT_EXTENSIONS
     "static self_collide allow_auto_disable enable_wind frame pose link joint drake:joint plugin "
     "gripper model include"},
    LEAF("self_collide",
         UNSUPPORTED("links of a model touch each other, unless they are neighbours "
                     "or a drake:collision_filter_group keeps them apart")),
    LEAF("allow_auto_disable", SILENT(METHOD)),
    LEAF("enable_wind", UNSUPPORTED("wind is not simulated")),
    LEAF("gripper", UNSUPPORTED("grippers that hold what they touch are not simulated")),
    {"frame", USED, "name attached_to", "", "", "pose"},

    {"link", USED, "name", "", "",
     "gravity enable_wind self_collide kinematic must_be_base_link velocity_decay pose inertial "
     "collision visual sensor projector audio_sink audio_source battery light particle_emitter "
     "drake:surface_velocity_axis drake:deformable_properties drake:wall_boundary_condition"},
    LEAF("kinematic", SILENT(METHOD)),
    LEAF("must_be_base_link", SILENT(METHOD)),
    LEAF("velocity_decay", UNSUPPORTED("links that lose speed by themselves are not simulated")),
    LEAF("sensor", UNSUPPORTED(SENSOR)),
    LEAF("projector", SILENT(DRAWING)),
    LEAF("audio_sink", SILENT(PEOPLE)),
    LEAF("audio_source", SILENT(PEOPLE)),
    LEAF("battery", SILENT(PEOPLE)),
    LEAF("particle_emitter", SILENT(DRAWING)),
    LEAF("drake:surface_velocity_axis",
         UNSUPPORTED("surfaces that move are not read from SDFormat")),
    {"drake:deformable_properties", USED, "", "", "",
     "drake:youngs_modulus drake:poissons_ratio drake:mass_density drake:mass_damping "
     "drake:stiffness_damping drake:material_model"},
    VALUE("drake:youngs_modulus"),
    VALUE("drake:poissons_ratio"),
    VALUE("drake:mass_density"),
    VALUE("drake:mass_damping"),
    VALUE("drake:stiffness_damping"),
    VALUE("drake:material_model"),
    {"drake:wall_boundary_condition", USED, "", "", "",
     "drake:point_on_plane drake:outward_normal"},
    VALUE("drake:point_on_plane"),
    VALUE("drake:outward_normal"),
    {"inertial", USED, "auto", "", "", "pose mass inertia density fluid_added_mass"},
    VALUE("mass"),
    VALUE("density"),
    LEAF("fluid_added_mass", UNSUPPORTED("added mass of a fluid is not simulated")),
    {"inertia", USED, "", "", "", "ixx iyy izz ixy ixz iyz"},
    VALUE("ixx"),
    VALUE("iyy"),
    VALUE("izz"),
    VALUE("ixy"),
    VALUE("ixz"),
    VALUE("iyz"),

    {"collision", USED, "name", "", "",
     "laser_retro max_contacts pose density auto_inertia_params geometry surface "
     "drake:proximity_properties"},
    LEAF("laser_retro", SILENT(PEOPLE)),
    LEAF("auto_inertia_params", SILENT(METHOD)),
    {"visual", USED, "name", "", "",
     "cast_shadows laser_retro transparency visibility_flags pose meta material geometry plugin "
     "drake:accepting_renderer drake:illustration_properties drake:perception_properties"},
    LEAF("cast_shadows", SILENT(DRAWING)),
    VALUE("transparency"),
    LEAF("visibility_flags", SILENT(DRAWING)),
    LEAF("meta", SILENT(DRAWING)),
    LEAF("drake:accepting_renderer", SILENT(DRAWING)),
    {"drake:illustration_properties", SILENT(DRAWING), "", "enabled", "", "*"},
    {"drake:perception_properties", SILENT(DRAWING), "", "enabled", "", "*"},
    {"material", USED, "", "", "",
     "diffuse ambient specular emissive shininess script shader lighting render_order "
     "double_sided pbr"},
    VALUE("diffuse"),
    LEAF("ambient", SILENT(DRAWING)),
    LEAF("specular", SILENT(DRAWING)),
    LEAF("emissive", SILENT(DRAWING)),
    LEAF("shininess", SILENT(DRAWING)),
    LEAF("script", SILENT(DRAWING)),
    {"shader", SILENT(DRAWING), "", "type", "", "*"},
    LEAF("lighting", SILENT(DRAWING)),
    LEAF("render_order", SILENT(DRAWING)),
    LEAF("double_sided", SILENT(DRAWING)),
    LEAF("pbr", SILENT(DRAWING)),
    {"geometry", USED, "", "", "",
     "box sphere cylinder capsule ellipsoid plane mesh empty drake:capsule drake:ellipsoid cone "
     "heightmap image polyline"},
    LEAF("empty", SILENT("has no shape")),
    LEAF("cone", UNSUPPORTED("cones are left out: nothing touches them")),
    LEAF("heightmap", UNSUPPORTED("height maps are left out: nothing can stand on them")),
    LEAF("image", UNSUPPORTED("shapes of images are left out: nothing touches them")),
    LEAF("polyline", UNSUPPORTED("extruded lines are left out: nothing touches them")),
    {"box", USED, "", "", "", "size"},
    {"sphere", USED, "", "", "", "radius"},
    {"cylinder", USED, "", "", "", "radius length"},
    {"capsule", USED, "", "", "", "radius length"},
    {"drake:capsule", USED, "", "", "", "radius length"},
    {"ellipsoid", USED, "", "", "", "radii"},
    {"drake:ellipsoid", USED, "", "", "", "a b c"},
    {"plane", USED, "", "", "", "normal size@plane"},
    {"mesh", USED, "", "optimization", "",
     "uri scale submesh convex_decomposition drake:declare_convex"},
    LEAF("submesh", SILENT("parts of a mesh are not told apart, with a note")),
    LEAF("convex_decomposition", SILENT("meshes touch as their convex hull")),
    LEAF("drake:declare_convex", SILENT("meshes touch as their convex hull")),
    VALUE("size"),
    LEAF("size@plane", SILENT("planes have no edge")),
    VALUE("radius"),
    VALUE("length"),
    VALUE("radii"),
    VALUE("a"),
    VALUE("b"),
    VALUE("c"),
    VALUE("normal"),
    VALUE("scale"),

    {"surface", USED, "", "", "", "bounce friction contact soft_contact"},
    {"bounce", USED, "", "", "", "restitution_coefficient threshold"},
    VALUE("restitution_coefficient"),
    LEAF("threshold", SILENT(METHOD)),
    {"friction", USED, "", "", "", "ode@friction torsional bullet"},
    {"ode@friction", USED, "", "", "", "mu mu2 fdir1 slip1 slip2"},
    VALUE("mu"),
    VALUE("mu2"),
    LEAF("fdir1", SILENT("friction is the same in all directions, as in Drake")),
    LEAF("slip1", SILENT(METHOD)),
    LEAF("slip2", SILENT(METHOD)),
    LEAF("torsional", SILENT("contacts of these files have no torsional friction, as in Drake")),
    {"contact", USED, "", "", "",
     "collide_bitmask collide_without_contact collide_without_contact_bitmask category_bitmask "
     "poissons_ratio elastic_modulus ode bullet"},
    VALUE("collide_bitmask"),
    LEAF("collide_without_contact", SILENT(METHOD)),
    LEAF("collide_without_contact_bitmask", SILENT(METHOD)),
    LEAF("category_bitmask", SILENT(METHOD)),
    LEAF("poissons_ratio", SILENT(METHOD)),
    LEAF("elastic_modulus", SILENT(METHOD)),
    LEAF("soft_contact", SILENT(METHOD)),
    LIMPET_ROBOT_PROXIMITY_ROWS("#text"),

    {"joint", USED, "name type", "", "",
     "pose parent child axis axis2 physics@joint sensor gearbox_ratio gearbox_reference_body "
     "thread_pitch screw_thread_pitch drake:rotor_inertia drake:gear_ratio "
     "drake:controller_gains drake:damping"},
    {"drake:joint", USED, "name type", "", "",
     "pose parent child drake:parent drake:child axis axis2 physics@joint screw_thread_pitch "
     "drake:rotor_inertia "
     "drake:gear_ratio drake:controller_gains drake:damping"},
    VALUE("parent"),
    VALUE("child"),
    VALUE("drake:parent"),
    VALUE("drake:child"),
    LEAF("physics@joint", SILENT(METHOD)),
    VALUE("gearbox_ratio"),
    VALUE("gearbox_reference_body"),
    VALUE("thread_pitch"),
    VALUE("screw_thread_pitch"),
    VALUE("drake:rotor_inertia"),
    VALUE("drake:gear_ratio"),
    {"drake:controller_gains", USED, "p d", "", "", ""},
    VALUE("drake:damping"),
    {"axis", USED, "", "", "", "xyz initial_position use_parent_model_frame dynamics limit mimic"},
    {"axis2", USED, "", "", "", "xyz initial_position use_parent_model_frame dynamics limit mimic"},
    {"xyz", USED, "expressed_in #text", "", "", ""},
    LEAF("initial_position", UNSUPPORTED("joints start at 0")),
    VALUE("use_parent_model_frame"),
    {"dynamics", USED, "", "", "", "damping friction@dynamics spring_reference spring_stiffness"},
    VALUE("damping"),
    {"friction@dynamics", USED, "#text", "", "", ""},
    VALUE("spring_reference"),
    VALUE("spring_stiffness"),
    {"limit", USED, "", "", "",
     "lower upper effort velocity stiffness dissipation drake:acceleration"},
    VALUE("lower"),
    VALUE("upper"),
    VALUE("effort"),
    VALUE("velocity"),
    LEAF("stiffness", SILENT("limits are as hard as the step resolves")),
    LEAF("dissipation", SILENT("limits are as hard as the step resolves")),
    LEAF("drake:acceleration", SILENT(PEOPLE)),
    {"mimic", USED, "joint axis", "", "", "multiplier offset reference"},
    VALUE("multiplier"),
    VALUE("offset"),
    VALUE("reference"),
    LIMPET_ROBOT_EXTENSION_ROWS("#text link", "#text name", "#text value"),
    {NULL, USED, NULL, NULL, NULL, NULL}};

static const limpet_schema_reason reasons[] = {{NULL, NULL, NULL}};

const limpet_schema limpet_sdf_schema = {
    .format = "SDFormat",
    .rules = rules,
    .reasons = reasons,
    .single =
        "gravity magnetic_field max_step_size uri name static placement_frame pose inertial mass "
        "density inertia ixx iyy izz ixy ixz iyz material diffuse geometry box sphere cylinder "
        "capsule "
        "drake:capsule ellipsoid drake:ellipsoid plane mesh size radius length radii a b c normal "
        "scale "
        "surface bounce restitution_coefficient friction ode@friction mu mu2 contact parent child "
        "drake:parent drake:child "
        "thread_pitch screw_thread_pitch drake:rotor_inertia drake:gear_ratio "
        "drake:controller_gains "
        "drake:damping axis axis2 xyz use_parent_model_frame dynamics damping friction@dynamics "
        "spring_reference spring_stiffness limit lower upper effort velocity mimic multiplier "
        "offset "
        "reference drake:proximity_properties drake:mu_dynamic drake:mu_static "
        "drake:point_contact_stiffness drake:hunt_crossley_dissipation drake:relaxation_time "
        "drake:hydroelastic_modulus drake:hydroelastic_margin drake:mesh_resolution_hint "
        "drake:deformable_properties drake:youngs_modulus drake:poissons_ratio drake:mass_density "
        "drake:mass_damping drake:stiffness_damping drake:material_model drake:point_on_plane "
        "drake:outward_normal",
    .open = true};
