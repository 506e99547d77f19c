// The parts of the library that the sources use and the engine's JavaScript, of 2009, lacks. "lib" of
// tsconfig.engine.json lists what the sources may use for the engine, so that the type checker knows.
import "core-js/es/array/fill";
import "core-js/es/array/find";
import "core-js/es/array/find-index";
import "core-js/es/array/find-last";
import "core-js/es/array/from";
import "core-js/es/array/includes";
import "core-js/es/map";
import "core-js/es/object/entries";
import "core-js/es/object/values";
import "core-js/es/set";
