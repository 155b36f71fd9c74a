/* format/mjcf/schema.c: the elements and attributes of MJCF, and what becomes of each: the schema
 * of MuJoCo 4.0 with what older versions had (source: mj_printSchema and the XML reference of the
 * MuJoCo documentation; names are facts of the format), and what Limpet adds under the prefix
 * `limpet:`. */
#include "format/mjcf/schema.h"

#include <stddef.h>

#define USED LIMPET_SCHEMA_USED, NULL
#define SILENT(reason) LIMPET_SCHEMA_SILENT, reason
#define UNSUPPORTED(reason) LIMPET_SCHEMA_UNSUPPORTED, reason

#define DRAWING "for drawing only"
#define PEOPLE "data for people and programs, not for the simulation"
#define METHOD "chooses MuJoCo's numerical method, not physics"
#define FLEX "edges and strains of a flex are held by its elements"
#define PLUGIN "plugins are code of MuJoCo and cannot be run"

#define ORIENTATION "quat axisangle euler xyaxes zaxis "
#define POSE "pos " ORIENTATION
#define MATERIAL_LOOK \
  "emission metallic reflectance roughness shininess specular texrepeat texture texuniform "
#define TEXTURE_LOOK                                                                           \
  "builtin colorspace content_type embed file fileback filedown filefront fileleft fileright " \
  "fileup gridlayout gridsize "                                                                \
  "height hflip "                                                                              \
  "mark markrgb name nchannel random rgb1 rgb2 type vflip width "
#define CAMERA                                                                   \
  "focal focalpixel fovy mode orthographic principal principalpixel projection " \
  "resolution sensorsize " POSE
#define CAMERA_LOOK "ipd output target user "
#define LIGHT_LOOK                                                                            \
  "active ambient attenuation bulbradius castshadow cutoff diffuse dir directional exponent " \
  "intensity mode pos range "                                                                 \
  "softness specular "                                                                        \
  "target texture type "
#define JOINT                                                                                \
  "actuatorfrclimited actuatorfrcrange actuatorgravcomp armature axis damping frictionloss " \
  "limited margin pos range ref "                                                            \
  "solimpfriction solimplimit solreffriction solreflimit springdamper springref stiffness type "
#define GEOM                                                                                    \
  "conaffinity condim contype density fitscale fluidcoef fluidshape friction fromto gap group " \
  "hfield margin mass material mesh priority rgba "                                             \
  "shellinertia size solimp solmix solref type " POSE
#define GEOM_SILENT "castshadow user "
#define GEOM_LIMPET                                                                    \
  "limpet:stiffness limpet:dissipation limpet:relaxation_time limpet:friction_static " \
  "limpet:friction_ratio "                                                             \
  "limpet:restitution limpet:friction_axis "                                           \
  "limpet:surface_velocity limpet:cloud limpet:cloud_scale limpet:point_radius "       \
  "limpet:contact_points " FIELD_LIMPET
#define FIELD_LIMPET                                                                   \
  "limpet:elastic_modulus limpet:slab_thickness limpet:field_size limpet:field_error " \
  "limpet:field_margin "
#define MATERIAL_LIMPET                                                                \
  "limpet:stiffness limpet:dissipation limpet:relaxation_time limpet:friction_static " \
  "limpet:friction_ratio limpet:restitution limpet:friction_axis "                     \
  "limpet:surface_velocity " FIELD_LIMPET
#define SITE "fromto type size " POSE
#define SITE_SILENT "group material mesh rgba user "
#define PAIR "adhesion condim friction gap margin solimp solref "
#define TENDON                                                                              \
  "actuatorfrclimited actuatorfrcrange armature damping frictionloss limited margin range " \
  "solimpfriction solimplimit "                                                             \
  "solreffriction solreflimit springlength stiffness "
#define TENDON_SILENT "group material rgba user width "
#define ACTUATOR \
  DELAY          \
  "armature cranklength ctrlrange damping forcelimited forcerange gear group lengthrange "
#define ACTUATOR_SILENT "user "
#define DELAY "delay interp nsample "
#define TRANSMISSION "joint jointinparent site refsite tendon "
#define SLIDER "cranksite slidersite "
#define MUSCLE "ctrllimited force fpmax fvmax lmax lmin range scale tausmooth timeconst vmax "
#define ORIENTATION_SERVO DELAY "ctrlrange dampratio forcelimited forcerange group input kp kv "
#define GENERAL                                                                                 \
  "actearly actlimited actrange biasprm biastype dynprm dyntype gainprm gaintype inheritrange " \
  "ctrllimited actdim ffrange input velrange "
#define PID \
  "ctrllimited dampratio ffrange imax inheritrange input ki kp kv posrange slewmax velrange "
#define DCMOTOR                                                                        \
  DELAY                                                                                \
  "armature cranklength ctrlrange damping gear group lengthrange ctrllimited cogging " \
  "controller inductance input lugre motorconst nominal resistance saturation thermal "
#define SENSOR_USED "cutoff name noise "
#define SENSOR_SILENT "user "
#define SENSOR_DELAYS "delay interval interp nsample "
#define FLEXCOMP_CHILDREN "edge@flex elasticity@flex contact@flex pin@flex plugin"

#define SENSOR_RULE(name, attributes) \
  { name, USED, attributes SENSOR_USED SENSOR_DELAYS, SENSOR_SILENT, "", "" }
#define SENSOR_LEFT_OUT(name, reason, attributes) \
  { name, UNSUPPORTED(reason), SENSOR_USED, attributes SENSOR_SILENT SENSOR_DELAYS, "", "" }

static const limpet_schema_rule rules[] = {
    {"mujoco", USED, "model", "", "",
     "compiler option size statistic visual default extension asset worldbody contact deformable "
     "equality tendon actuator "
     "sensor custom "
     "keyframe"},
    {"mujocoinclude", USED, "model", "", "",
     "compiler option size statistic visual default extension asset worldbody contact deformable "
     "equality tendon actuator "
     "sensor custom "
     "keyframe"},

    // settings
    {"compiler", USED,
     "alignfree angle assetdir autolimits balanceinertia boundinertia boundmass conflict "
     "coordinate eulerseq "
     "fitaabb inertiafromgeom "
     "inertiagrouprange meshdir settotalmass strippath",
     "convexhull discardvisual fusestatic passthrough savecanonical savecompiled saveinertial "
     "texturedir usethread",
     "exactmeshinertia", "lengthrange"},
    {"lengthrange",
     SILENT(
         "how MuJoCo finds lengths of muscles by simulation; here they follow from the geometry"),
     "", "accel interval inttotal maxforce mode timeconst timestep tolrange useexisting uselimit",
     "", ""},
    {"option", USED,
     "actuatorgroupdisable density gravity magnetic timestep viscosity wind limpet:anchors",
     "apirate ccd_iterations ccd_tolerance collision cone impratio integrator iterations jacobian "
     "ls_iterations ls_tolerance "
     "mpr_iterations mpr_tolerance noslip_iterations noslip_tolerance o_friction o_margin o_solimp "
     "o_solref sdf_initpoints "
     "sdf_iterations sleep_tolerance solver tolerance",
     "", "flag"},
    {"flag", USED,
     "actuation clampctrl constraint contact damper equality filterparent frictionloss gravity "
     "limit passive spring",
     "autoreset diagexact energy eulerdamp fwdinv invdiscrete ipc island midphase multiccd "
     "nativeccd refsafe sensor "
     "sensornoise sleep "
     "speculative warmstart",
     "override", ""},
    {"size", SILENT("memory is sized by itself"), "",
     "memory nconmax njmax nkey nstack nuser_actuator nuser_body nuser_cam nuser_geom nuser_jnt "
     "nuser_sensor nuser_site "
     "nuser_tendon "
     "nuserdata",
     "", ""},
    {"statistic", SILENT(DRAWING), "", "center extent meaninertia meanmass meansize", "", ""},
    {"visual", SILENT(DRAWING), "", "", "", "global quality headlight map scale rgba"},
    {"global", SILENT(DRAWING), "",
     "azimuth bvactive cameraid elevation ellipsoidinertia fovy glow ipd linewidth offheight "
     "offwidth orthographic realtime",
     "", ""},
    {"quality", SILENT(DRAWING), "", "numquads numslices numstacks offsamples shadowsize", "", ""},
    {"headlight", SILENT(DRAWING), "", "active ambient diffuse specular", "", ""},
    {"map", SILENT(DRAWING), "",
     "actuatortendon alpha fogend fogstart force haze shadowclip shadowscale stiffness "
     "stiffnessrot torque zfar znear",
     "", ""},
    {"scale", SILENT(DRAWING), "",
     "actuatorlength actuatorwidth camera com connect constraint contactheight contactwidth "
     "forcewidth framelength framewidth "
     "frustum "
     "jointlength jointwidth light selectpoint slidercrank",
     "", ""},
    {"rgba", SILENT(DRAWING), "",
     "actuator actuatornegative actuatorpositive bv bvactive camera com connect constraint "
     "contactforce contactfriction "
     "contactgap "
     "contactpoint contacttorque crankbroken fog force frustum haze inertia joint light "
     "rangefinder selectpoint slidercrank",
     "", ""},

    // defaults
    {"default", USED, "class", "", "",
     "default mesh@default texture@default material@default joint@default geom@default "
     "site@default camera@default "
     "light@default "
     "pair@default equality@default tendon@default general@default motor@default position@default "
     "velocity@default "
     "intvelocity@default "
     "damper@default cylinder@default muscle@default adhesion@default orientation@default "
     "pid@default dcmotor@default "
     "plugin@actuator"},
    {"mesh@default", USED, "inertia maxhullvert scale limpet:concave", "material smoothnormal", "",
     ""},
    {"texture@default", SILENT(DRAWING), "", TEXTURE_LOOK, "", ""},
    {"material@default", USED, MATERIAL_LIMPET "rgba", MATERIAL_LOOK, "", "layer"},
    {"layer", SILENT(DRAWING), "", "role texture", "", ""},
    {"joint@default", USED, JOINT, "group user", "springyield", ""},
    {"geom@default", USED, GEOM GEOM_LIMPET "adhesion surfacevel", GEOM_SILENT, "", ""},
    {"site@default", USED, SITE, SITE_SILENT, "", ""},
    {"camera@default", USED, CAMERA, CAMERA_LOOK, "", ""},
    {"light@default", SILENT(DRAWING), "", LIGHT_LOOK, "", ""},
    {"pair@default", USED, PAIR, "solreffriction", "", ""},
    {"equality@default", USED, "active solimp solref", "", "", ""},
    {"tendon@default", USED, TENDON, TENDON_SILENT, "springyield", ""},
    {"general@default", USED, ACTUATOR GENERAL, ACTUATOR_SILENT, "", ""},
    {"motor@default", USED, ACTUATOR "ctrllimited", ACTUATOR_SILENT, "", ""},
    {"position@default", USED, ACTUATOR "ctrllimited dampratio inheritrange kp kv timeconst",
     ACTUATOR_SILENT, "", ""},
    {"velocity@default", USED, ACTUATOR "ctrllimited kv", ACTUATOR_SILENT, "", ""},
    {"intvelocity@default", USED,
     ACTUATOR "actlimited actrange ctrllimited dampratio inheritrange kp kv", ACTUATOR_SILENT, "",
     ""},
    {"damper@default", USED, ACTUATOR "kv ctrllimited", ACTUATOR_SILENT, "", ""},
    {"cylinder@default", USED, ACTUATOR "area bias ctrllimited diameter timeconst", ACTUATOR_SILENT,
     "", ""},
    {"muscle@default", USED, ACTUATOR MUSCLE, ACTUATOR_SILENT, "", ""},
    {"adhesion@default", USED, DELAY "ctrllimited ctrlrange forcelimited forcerange gain group",
     ACTUATOR_SILENT, "", ""},
    {"orientation@default", USED, ORIENTATION_SERVO, ACTUATOR_SILENT, "", ""},
    {"pid@default", USED, ACTUATOR PID, ACTUATOR_SILENT, "", ""},
    {"dcmotor@default", USED, DCMOTOR, ACTUATOR_SILENT, "", ""},

    // assets and extensions
    {"extension", SILENT("declares plugins; what uses one is noted"), "", "", "",
     "plugin@extension"},
    {"plugin@extension", SILENT("declares a plugin; what uses it is noted"), "", "plugin", "",
     "instance"},
    {"instance", SILENT("declares a plugin; what uses it is noted"), "", "name", "", "config"},
    {"config", SILENT("a setting of a plugin"), "", "key value", "", ""},
    {"plugin", UNSUPPORTED(PLUGIN), "", "instance plugin", "", "config"},
    {"asset", USED, "", "", "", "mesh hfield skin texture material model"},
    {"mesh", USED,
     "class content_type face file inertia maxhullvert name refpos refquat scale vertex builtin "
     "params limpet:concave texcoord",
     "material normal smoothnormal", "", "plugin"},
    {"hfield", USED, "elevation file name ncol nrow size", "content_type", "", ""},
    {"skin", SILENT(DRAWING), "", "face file group inflate material name rgba texcoord vertex", "",
     "bone"},
    {"bone", SILENT(DRAWING), "", "bindpos bindquat body vertid vertweight", "", ""},
    {"texture", SILENT(DRAWING), "", TEXTURE_LOOK "class", "", ""},
    {"material", USED, MATERIAL_LIMPET "class name rgba", MATERIAL_LOOK, "", "layer"},
    {"model", USED, "content_type file name", "", "", ""},

    // the kinematic tree
    {"worldbody", USED, "", "", "",
     "geom site body frame replicate attach camera light composite flexcomp plugin joint freejoint "
     "inertial limpet:deformable"},
    {"body", USED, "childclass gravcomp mocap name " POSE, "fuse simple sleep user", "",
     "inertial joint freejoint geom site body frame replicate attach camera light composite "
     "flexcomp plugin limpet:deformable"},
    {"frame", USED, "childclass name " POSE, "", "",
     "joint freejoint geom site body frame replicate attach camera light composite flexcomp "
     "inertial limpet:deformable"},
    {"replicate", USED, "count euler offset sep", "prefix", "",
     "joint freejoint geom site body frame replicate attach camera light composite flexcomp "
     "limpet:deformable"},
    {"limpet:deformable", USED,
     "name body type file size cells scale fill_size law element young poisson density "
     "mass_damping damping gravity self_contact surface_stiffness friction condim contype "
     "conaffinity margin priority group rgba shell thickness membrane bending edge_stiffness "
     "edge_damping pressure outside_pressure gas_exponent point tetrahedra faces "
     "segments " MATERIAL_LIMPET POSE,
     "", "", "limpet:tie"},
    {"limpet:tie", USED, "body vertices box", "", "", ""},
    {"attach", USED, "body frame model prefix", "", "", ""},
    {"inertial", USED, "diaginertia fullinertia mass " POSE, "", "", ""},
    {"joint", USED, "class name " JOINT, "group user", "springyield", ""},
    {"freejoint", USED, "align name", "group", "", ""},
    {"geom", USED, "class name " GEOM GEOM_LIMPET "adhesion surfacevel", GEOM_SILENT, "", "plugin"},
    {"site", USED, "class name " SITE, SITE_SILENT, "", ""},
    {"camera", USED, "class name " CAMERA, CAMERA_LOOK, "", ""},
    {"light", SILENT(DRAWING), "", "class name " LIGHT_LOOK, "", ""},
    {"composite", UNSUPPORTED("generated bodies (cables, cloth, particles) are left out"), "",
     "count curve initial offset prefix quat size spacing type vertex flatinertia solrefsmooth "
     "solimpsmooth",
     "",
     "joint@composite geom@composite site@composite skin@composite plugin tendon@composite "
     "pin@flex"},
    {"joint@composite", SILENT("part of a composite"), "",
     "kind class " JOINT "group user solreffix solimpfix", "", ""},
    {"tendon@composite", SILENT("part of a composite"), "",
     "kind class solreffix solimpfix " TENDON TENDON_SILENT, "", ""},
    {"geom@composite", SILENT("part of a composite"), "", "class " GEOM GEOM_SILENT, "", ""},
    {"site@composite", SILENT("part of a composite"), "", "class " SITE SITE_SILENT, "", ""},
    {"skin@composite", SILENT(DRAWING), "", "texcoord material group rgba inflate subgrid", "", ""},
    {"flexcomp", USED,
     "count dim dof element file group mass name origin point radius rgba rigid scale spacing "
     "type " POSE,
     "cellcount flatskin inertiabox material mesh texcoord", "",
     "edge@flex elasticity@flex contact@flex pin@flex plugin"},
    {"edge@flex", USED, "damping equality stiffness", "", "solimp solref", ""},
    {"elasticity@flex", USED, "damping elastic2d poisson thickness young",
     "fixed section sectionsize shear yield", "", ""},
    {"contact@flex", USED, "conaffinity condim contype friction margin priority selfcollide",
     "activelayers adhesion gap internal passive solimp solmix solref vertcollide", "", ""},
    {"pin@flex", USED, "grid gridrange id range", "", "", ""},
    {"deformable", USED, "", "", "", "flex skin"},
    {"flex", USED, "body dim element group name node radius rgba vertex",
     "cell cellcount dof elem elemtexcoord flatskin material nodecoord order texcoord", "",
     FLEXCOMP_CHILDREN},

    // contact, equality, tendons
    {"contact", USED, "", "", "", "pair exclude"},
    {"pair", USED, "class geom1 geom2 name " PAIR, "solreffriction", "", ""},
    {"exclude", USED, "body1 body2", "name", "", ""},
    {"equality", USED, "", "", "",
     "connect weld joint@equality tendon@equality flex@equality flexvert flexstrain distance"},
    {"connect", USED, "active anchor body1 body2 class name site1 site2 solimp solref", "", "", ""},
    {"weld", USED,
     "active anchor body1 body2 class name relpose site1 site2 solimp solref torquescale", "", "",
     ""},
    {"joint@equality", USED, "active class joint1 joint2 name polycoef solimp solref", "", "", ""},
    {"tendon@equality", USED, "active class name polycoef solimp solref tendon1 tendon2", "", "",
     ""},
    {"flex@equality", UNSUPPORTED(FLEX), "", "active class flex name solimp solref", "", ""},
    {"flexvert", UNSUPPORTED(FLEX), "", "active class flex name solimp solref", "", ""},
    {"flexstrain", UNSUPPORTED(FLEX), "", "active cell class flex name solimp solref", "", ""},
    {"distance", UNSUPPORTED("distances of geoms, which MuJoCo has dropped, are left out"), "",
     "active class distance geom1 geom2 name solimp solref", "", ""},
    {"tendon", USED, "", "", "", "fixed spatial"},
    {"fixed", USED, "class name " TENDON, TENDON_SILENT, "springyield", "joint@fixed"},
    {"joint@fixed", USED, "coef joint", "", "", ""},
    {"spatial", USED, "class name " TENDON, TENDON_SILENT, "springyield",
     "site@spatial geom@spatial pulley"},
    {"site@spatial", USED, "site", "", "", ""},
    {"geom@spatial", USED, "geom sidesite", "", "", ""},
    {"pulley", USED, "divisor", "", "", ""},

    // actuators
    {"actuator", USED, "", "", "",
     "general motor position velocity intvelocity damper cylinder muscle adhesion orientation pid "
     "dcmotor plugin@actuator"},
    {"general", USED, "class name " TRANSMISSION SLIDER ACTUATOR GENERAL "body limpet:surface",
     ACTUATOR_SILENT, "", ""},
    {"motor", USED, "class name " TRANSMISSION SLIDER ACTUATOR "ctrllimited", ACTUATOR_SILENT, "",
     ""},
    {"position", USED,
     "class name " TRANSMISSION SLIDER ACTUATOR
     "ctrllimited dampratio inheritrange kp kv timeconst",
     ACTUATOR_SILENT, "", ""},
    {"velocity", USED, "class name " TRANSMISSION SLIDER ACTUATOR "ctrllimited kv", ACTUATOR_SILENT,
     "", ""},
    {"intvelocity", USED,
     "class name " TRANSMISSION SLIDER ACTUATOR
     "actlimited actrange ctrllimited dampratio inheritrange kp kv",
     ACTUATOR_SILENT, "", ""},
    {"damper", USED, "class name " TRANSMISSION SLIDER ACTUATOR "kv ctrllimited", ACTUATOR_SILENT,
     "", ""},
    {"cylinder", USED,
     "class name " TRANSMISSION SLIDER ACTUATOR "area bias ctrllimited diameter timeconst",
     ACTUATOR_SILENT, "", ""},
    {"muscle", USED, "class name " TRANSMISSION SLIDER ACTUATOR MUSCLE, ACTUATOR_SILENT, "", ""},
    {"adhesion", USED,
     DELAY "body class ctrllimited ctrlrange forcelimited forcerange gain group name",
     ACTUATOR_SILENT, "", ""},
    {"orientation", USED, ORIENTATION_SERVO "class joint name refsite site", ACTUATOR_SILENT, "",
     ""},
    {"pid", USED, "class name " TRANSMISSION SLIDER ACTUATOR PID, ACTUATOR_SILENT, "", ""},
    {"dcmotor", USED, "class name " TRANSMISSION SLIDER DCMOTOR, ACTUATOR_SILENT, "", ""},
    {"plugin@actuator", UNSUPPORTED(PLUGIN), "class name " TRANSMISSION SLIDER ACTUATOR "body",
     ACTUATOR_SILENT "actdim actearly actlimited actrange ctrllimited dynprm dyntype "
                     "instance plugin",
     "", "config"},

    // sensors, data, keyframes
    {"sensor", USED, "", "", "",
     "touch limpet:taxels accelerometer velocimeter gyro force torque magnetometer camprojection "
     "rangefinder "
     "jointpos jointvel tendonpos "
     "tendonvel "
     "actuatorpos actuatorvel actuatorfrc jointactuatorfrc tendonactuatorfrc ballquat ballangvel "
     "jointlimitpos jointlimitvel "
     "jointlimitfrc tendonlimitpos tendonlimitvel tendonlimitfrc framepos framequat framexaxis "
     "frameyaxis framezaxis "
     "framelinvel "
     "frameangvel framelinacc frameangacc subtreecom subtreelinvel subtreeangmom insidesite "
     "distance@sensor normal fromto "
     "contact@sensor "
     "e_potential e_kinetic clock tactile user plugin@sensor"},
    SENSOR_RULE("touch", "site "),
    SENSOR_RULE("limpet:taxels", "site rows columns "),
    SENSOR_RULE("accelerometer", "site "),
    SENSOR_RULE("velocimeter", "site "),
    SENSOR_RULE("gyro", "site "),
    SENSOR_RULE("force", "site "),
    SENSOR_RULE("torque", "site "),
    SENSOR_RULE("magnetometer", "site "),
    SENSOR_RULE("camprojection", "site camera "),
    SENSOR_RULE("rangefinder", "site camera data "),
    SENSOR_RULE("jointpos", "joint "),
    SENSOR_RULE("jointvel", "joint "),
    SENSOR_RULE("tendonpos", "tendon "),
    SENSOR_RULE("tendonvel", "tendon "),
    SENSOR_RULE("actuatorpos", "actuator "),
    SENSOR_RULE("actuatorvel", "actuator "),
    SENSOR_RULE("actuatorfrc", "actuator "),
    SENSOR_RULE("jointactuatorfrc", "joint "),
    SENSOR_RULE("tendonactuatorfrc", "tendon "),
    SENSOR_RULE("ballquat", "joint "),
    SENSOR_RULE("ballangvel", "joint "),
    SENSOR_RULE("jointlimitpos", "joint "),
    SENSOR_RULE("jointlimitvel", "joint "),
    SENSOR_RULE("jointlimitfrc", "joint "),
    SENSOR_RULE("tendonlimitpos", "tendon "),
    SENSOR_RULE("tendonlimitvel", "tendon "),
    SENSOR_RULE("tendonlimitfrc", "tendon "),
    SENSOR_RULE("framepos", "objname objtype refname reftype "),
    SENSOR_RULE("framequat", "objname objtype refname reftype "),
    SENSOR_RULE("framexaxis", "objname objtype refname reftype "),
    SENSOR_RULE("frameyaxis", "objname objtype refname reftype "),
    SENSOR_RULE("framezaxis", "objname objtype refname reftype "),
    SENSOR_RULE("framelinvel", "objname objtype refname reftype "),
    SENSOR_RULE("frameangvel", "objname objtype refname reftype "),
    SENSOR_RULE("framelinacc", "objname objtype "),
    SENSOR_RULE("frameangacc", "objname objtype "),
    SENSOR_RULE("subtreecom", "body "),
    SENSOR_RULE("subtreelinvel", "body "),
    SENSOR_RULE("subtreeangmom", "body "),
    SENSOR_RULE("insidesite", "site enclosed objname objtype "),
    SENSOR_RULE("distance@sensor", "body1 body2 geom1 geom2 "),
    SENSOR_RULE("normal", "body1 body2 geom1 geom2 "),
    SENSOR_RULE("fromto", "body1 body2 geom1 geom2 "),
    SENSOR_RULE("contact@sensor",
                "body1 body2 data geom1 geom2 num reduce site subtree1 subtree2 "),
    SENSOR_RULE("e_potential", ""),
    SENSOR_RULE("e_kinetic", ""),
    SENSOR_RULE("clock", ""),
    SENSOR_RULE("tactile", "geom mesh "),
    SENSOR_LEFT_OUT("user", "user sensors are filled by code of the user: zeros",
                    "datatype dim needstage objname objtype "),
    {"plugin@sensor", UNSUPPORTED(PLUGIN), SENSOR_USED,
     "instance objname objtype plugin refname reftype " SENSOR_SILENT SENSOR_DELAYS, "", "config"},
    {"custom", SILENT(PEOPLE), "", "", "", "numeric text tuple"},
    {"numeric", SILENT(PEOPLE), "", "data name size", "", ""},
    {"text", SILENT(PEOPLE), "", "data name", "", ""},
    {"tuple", SILENT(PEOPLE), "", "name", "", "element"},
    {"element", SILENT(PEOPLE), "", "objname objtype prm", "", ""},
    {"keyframe", USED, "", "", "", "key"},
    {"key", USED, "act ctrl mpos mquat name qpos qvel time", "plastic", "", ""},
    {NULL, USED, NULL, NULL, NULL, NULL}};

static const limpet_schema_reason reasons[] = {
    {"solref", NULL,
     "edges are held by springs (cloth, ropes) or elements (solids), not by constraints"},
    {"solimp", NULL,
     "edges are held by springs (cloth, ropes) or elements (solids), not by constraints"},
    {"springyield", NULL, "springs that yield are not simulated yet"},
    {"override", "disable", "contact parameters that override all others are not taken over"},
    {"exactmeshinertia", "false",
     "mesh inertia is chosen for each mesh (attribute inertia), not for all"},
    {NULL, NULL, NULL}};

const limpet_schema limpet_mjcf_schema = {
    .format = "MJCF",
    .rules = rules,
    .reasons = reasons,
    .single =
        "inertial mesh@default material@default joint@default geom@default site@default "
        "pair@default equality@default tendon@default general@default motor@default "
        "position@default "
        "velocity@default intvelocity@default damper@default cylinder@default muscle@default "
        "adhesion@default orientation@default pid@default dcmotor@default"};
