/// Returns the name of the build, such as "20261126001200.1523.a3069bb": a time, a number and a commit. Returns an
/// empty text for a build without a name. The job that makes packages names its builds.
const char *coterie_build_name(void);
